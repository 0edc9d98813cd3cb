import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type EvmWorld, startEvmWorld } from '@latchkey/chains/testing';
import { contextFor, createRule } from '@latchkey/core';
import { type MatrixEmulator, startMatrixEmulator } from '@latchkey/emulators/matrix';
import { listenOutside } from '@latchkey/server/testing/listening';
import { startTestServer, type TestServer } from '@latchkey/server/testing/test-server';
import { startAnswerProxy, until } from '@latchkey/test-kit';
import type { Browser } from 'playwright-core';
import { getAddress } from 'viem';
import { openConsole } from './harness/console.ts';
import { giveEvmWallet } from './harness/evm-wallet.ts';

type Call = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

/** A Matrix space in the console, from the invite of the bot to a room that a member is let into. */
export function matrixSuite(browserOf: () => Browser): void {
  let matrix: MatrixEmulator;
  let chain: EvmWorld;
  let node: Awaited<ReturnType<typeof startAnswerProxy>>;
  let server: TestServer;
  let listening: ReturnType<typeof listenOutside>;
  let owner: Call;
  let space: string;
  let room: string;
  const ownerId = '@owner:matrix.test';
  const botId = '@latchkey:matrix.test';
  before(async () => {
    matrix = await startMatrixEmulator();
    const bot = matrix.world.addUser('latchkey');
    owner = clientOf('owner');
    chain = await startEvmWorld();
    node = await startAnswerProxy(chain.url);
    server = await startTestServer({
      LATCHKEY_MATRIX_HOMESERVER_URL: matrix.url,
      LATCHKEY_MATRIX_ACCESS_TOKEN: bot.token,
      LATCHKEY_EVM_RPC_URLS: `${chain.chainId}=${node.url}`,
    });
    listening = listenOutside(server.services, server.config);
  });
  after(async () => {
    await listening?.stop();
    await server?.close();
    await Promise.all([matrix?.stop(), node?.stop(), chain?.stop()]);
  });

  function clientOf(name: string): Call {
    const { token } = matrix.world.addUser(name);
    return async (method, path, body) => {
      const response = await fetch(`${matrix.url}/_matrix/client/v3${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as Record<string, unknown>;
      assert.ok(response.ok, JSON.stringify(answer));
      return answer;
    };
  }
  const world = () => ({ server, browser: browserOf() });
  const as = async (matrixId: string) => ({ authorization: await server.aeToken(`MTX#USER#${matrixId}`) });
  const pathOf = (id: string) => `/communities/${encodeURIComponent(`MTX#COMM#${id}`)}`;
  const membershipIn = (id: string, userId: string) => matrix.world.membershipOf(matrix.world.room(id), userId);
  const open = async (name: string, joinRule: string, more: Record<string, unknown> = {}) => {
    const { room_id: id } = await owner('POST', '/createRoom', {
      name,
      room_version: '11',
      power_level_content_override: { users: { [ownerId]: 100, [botId]: 100 }, invite: 50 },
      initial_state: [{ type: 'm.room.join_rules', state_key: '', content: { join_rule: joinRule } }],
      invite: [botId],
      ...more,
    });
    await until('the bot is in', () => membershipIn(String(id), botId) === 'join');
    return String(id);
  };

  test('is added by inviting the bot, and its setup names the room that is open to everyone', async () => {
    await using opened = await openConsole(world(), {
      as: await as(ownerId),
      path: '/communities/new',
      expectsRefusals: true,
    });
    const { page, faults } = opened;
    await page.getByRole('button', { name: /^Matrix/ }).click();
    const link = page.getByRole('link', { name: 'Add the bot' });
    assert.equal(await link.getAttribute('href'), `https://matrix.to/#/${encodeURIComponent(botId)}`);
    await page.getByText('Waiting for the bot to join a community of yours …').waitFor();
    space = await open('Cat Club', 'public', { creation_content: { type: 'm.space' } });
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Setup' }).waitFor();
    await page.getByText('Bot in the community', { exact: false }).first().waitFor({ state: 'attached' });

    room = await open('Holders', 'public');
    await owner('PUT', `/rooms/${encodeURIComponent(space)}/state/m.space.child/${encodeURIComponent(room)}`, {
      via: ['matrix.test'],
    });
    const body = {
      type: 'ERC20',
      chainId: chain.chainId,
      contractAddress: chain.contracts.erc20,
      minToken: '1',
      roleId: `room:${room}`,
    } as const;
    await createRule(contextFor(server.services, { kind: 'admin', name: 'test' }), { id: `MTX#COMM#${space}`, body });
    await opened.goTo(`${pathOf(space)}/setup`);
    await page.getByText('Who can join “Holders”').waitFor();
    await page.getByText('Anyone can join this room, whatever the rule says.').waitFor();

    // One person goes around the gate, and is listed.
    const eve = clientOf('eve');
    await eve('POST', `/join/${encodeURIComponent(room)}`, {});
    const count = async () => (await server.services.db.pool.query('select from gate_bypasses')).rowCount;
    await until('the join is known', async () => (await count()) === 1);
    await owner('PUT', `/rooms/${encodeURIComponent(room)}/state/m.room.join_rules/`, { join_rule: 'invite' });
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('Who can join “Holders”').waitFor({ state: 'hidden' });
    await opened.goTo(`${pathOf(space)}/setup`);
    await page.getByText('Open to everyone · Holders').waitFor();
    await page.getByText('1 person joined this way, most recently eve', { exact: false }).waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    assert.deepEqual(faults, []);
  });

  test('shows a member each step to the room as it happens, names the one that waits, and shows admins the same', async () => {
    const adaId = '@ada:matrix.test';
    const ada = clientOf('ada');
    await ada('POST', `/join/${encodeURIComponent(space)}`, {});
    await using opened = await openConsole(world(), {
      as: await as(adaId),
      path: '/me',
      expectsRefusals: true,
      viewport: { width: 390, height: 800 },
    });
    const { page, faults, goTo } = opened;
    const wallet = await giveEvmWallet(page);
    await chain.mintCoins([getAddress(wallet.address)], 10n ** 19n);
    await goTo('/me/roles');
    const step = (state: string, words: string) =>
      page.locator(`li[data-state=${state}]`).filter({ hasText: words }).first();
    await step('stopped', 'No wallet linked').waitFor();
    await using support = await openConsole(world(), {
      as: await as(ownerId),
      path: `${pathOf(space)}/members/${encodeURIComponent(`MTX#USER#${adaId}`)}`,
      expectsRefusals: true,
    });
    await support.page.getByText('ada has no linked wallet that counts here.').waitFor();

    // The chain does not respond: that step waits, and nothing is decided.
    node.intercept(() => 'the node is down');
    await goTo('/me');
    await page.getByRole('button', { name: 'Link a wallet' }).click();
    const dialog = page.getByRole('dialog', { name: 'Link a wallet' });
    await dialog.getByRole('button', { name: 'Test Fox' }).click();
    await dialog.getByText('is linked.').waitFor();
    await goTo('/me/roles');
    await step('done', 'Wallet linked').waitFor();
    assert.equal(membershipIn(room, adaId), undefined);
    await page.locator('[data-state=waiting]').first().waitFor();

    node.intercept(undefined);
    // The page follows by itself.
    await page.getByText(/Checked at block [\d.,]+ of/).waitFor();
    await page.getByText('Seen in Matrix').waitFor();
    assert.equal(membershipIn(room, adaId), 'invite');
    await ada('POST', `/join/${encodeURIComponent(room)}`, {});
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);

    await support.page.reload();
    await support.page.getByRole('heading', { name: 'Progress' }).waitFor();
    await support.page.getByText('Seen in Matrix').waitFor();
    await support.page.getByText(/Checked at block [\d.,]+ of/).waitFor();
    const rows = await server.services.db.pool.query(`select from gate_bypasses where user_id = $1`, [
      `MTX#USER#${adaId}`,
    ]);
    assert.equal(rows.rowCount, 0, 'the bot let her in');
    assert.deepEqual([...faults, ...support.faults], []);
  });
}
