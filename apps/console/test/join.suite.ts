import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type EvmWorld, startEvmWorld } from '@latchkey/chains/testing';
import { contextFor, createCommunity, createRule } from '@latchkey/core';
import { startTelegramEmulator, type TelegramEmulator } from '@latchkey/emulators/telegram';
import { startWalletConnectRelay, type WalletConnectRelay } from '@latchkey/emulators/walletconnect-relay';
import { listenOutside } from '@latchkey/server/testing/listening';
import { startTestServer, type TestServer } from '@latchkey/server/testing/test-server';
import { startAnswerProxy, until } from '@latchkey/test-kit';
import type { Browser, Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { openPage, type Watch } from './harness/browser.ts';
import { openConsole } from './harness/console.ts';
import { giveEvmWallet } from './harness/evm-wallet.ts';
import { givePasskeyDevice } from './harness/passkey-device.ts';

const phone = { userAgent: 'Mozilla/5.0 (Linux; Android 15; wv) Chrome/140 Mobile Safari/537.36', hasTouch: true };
const theme = { bg_color: '#17212b', secondary_bg_color: '#232e3c', text_color: '#f5f5f5', hint_color: '#708499' };

/** The page that Telegram opens for people who request to join a chat, in an app of Telegram. */
export function joinSuite(browserOf: () => Browser): void {
  let telegram: TelegramEmulator;
  let chain: EvmWorld;
  let node: Awaited<ReturnType<typeof startAnswerProxy>>;
  let relay: WalletConnectRelay;
  let server: TestServer;
  let listening: ReturnType<typeof listenOutside>;
  let chatId: number;
  before(async () => {
    // Time stands still: a busy machine takes longer than the ten seconds that Telegram allows.
    const startedMs = Date.now();
    const unlimited = { limit: 100_000, windowSeconds: 1 };
    telegram = await startTelegramEmulator({
      clock: () => startedMs,
      limits: { overall: unlimited, perChat: unlimited },
    });
    chain = await startEvmWorld();
    node = await startAnswerProxy(chain.url);
    relay = await startWalletConnectRelay();
    server = await startTestServer({
      LATCHKEY_WALLETCONNECT_PROJECT_ID: 'test-project',
      LATCHKEY_WALLETCONNECT_RELAY_URL: relay.url,
      LATCHKEY_TELEGRAM_BOT_TOKEN: telegram.bot.token,
      LATCHKEY_TELEGRAM_API_URL: telegram.url,
      LATCHKEY_EVM_RPC_URLS: `${chain.chainId}=${node.url}`,
    });
    listening = listenOutside(server.services, server.config);
    chatId = telegram.createGroup({ title: 'Cat Club' }).id;
    telegram.setGuard(chatId, true);
    const ctx = contextFor(server.services, { kind: 'admin', name: 'test' });
    const { id = '' } = await createCommunity(ctx, {
      body: { platform: 'telegram', communityId: String(chatId), name: 'Cat Club', ownerId: 'TEL#USER#1' },
    });
    const { chainId, contracts } = chain;
    const holds = { type: 'ERC20', chainId, contractAddress: contracts.erc20, minToken: '1' } as const;
    await createRule(ctx, { id, body: { name: 'Cat holders', roleId: 'member', ...holds } });
  });
  after(async () => {
    await listening?.stop();
    await server?.close();
    await Promise.all([telegram?.stop(), relay?.stop(), node?.stop(), chain?.stop()]);
  });

  /** A person requests to join, and their app opens the page that the bot names, with what Telegram adds to its address. */
  async function arrive(name: string, { language, ...watch }: Watch & { language?: string } = {}) {
    const user = telegram.createUser(name);
    const { id: userId } = user;
    if (language !== undefined) user.language = language;
    const [ownerId = 0] =
      telegram
        .chats()
        .find(({ id }) => id === chatId)
        ?.members.keys() ?? [];
    telegram.join(userId, telegram.createLink(chatId, ownerId, { createsJoinRequest: true }));
    const address = await until(`${name} is shown the page`, () => telegram.joinPages(chatId).get(userId));
    // A wallet is first offered for the community, which does not know the person yet.
    const expectsRefusals = true;
    const viewport = { width: 390, height: 700 };
    const opened = await openPage(browserOf(), { expectsRefusals, viewport, colorScheme: 'light', ...watch });
    const { page } = opened;
    await page.addInitScript(() => {
      const told: [string, object][] = [];
      const postEvent = (type: string, data: string) => void told.push([type, JSON.parse(data)]);
      Object.assign(window, { told, TelegramWebviewProxy: { postEvent } });
    });
    const holder = generatePrivateKey();
    await giveEvmWallet(page, 'Test Fox', { privateKey: holder });
    const initData = telegram.signInitData(userId, { authDate: Math.floor(Date.now() / 1000) });
    const fragment = new URLSearchParams({
      tgWebAppData: initData,
      tgWebAppVersion: '9.1',
      tgWebAppPlatform: 'android',
      tgWebAppThemeParams: JSON.stringify(theme),
    });
    const named = new URL(address);
    // Passkeys belong to names, not to addresses.
    named.hostname = 'localhost';
    await page.goto(`${named.href}#${fragment}`);
    const status = page.getByRole('status').filter({ hasText: /\S/ });
    return { ...opened, userId, status, wallet: privateKeyToAccount(holder).address };
  }

  const told = (page: Page) => page.evaluate(() => (window as unknown as { told: [string, object][] }).told);
  const standing = (userId: number) => [
    telegram.statusOf(chatId, userId).status,
    telegram.isWaiting(chatId, userId) ? 'waiting' : 'not waiting',
  ];

  test('lets a person in who links a wallet that has what the chat requires, in the colours of their Telegram', async () => {
    await using opened = await arrive('Ann');
    const { page, faults, userId, status, wallet } = opened;
    await page.getByText('at least 1', { exact: false }).first().waitFor();
    assert.deepEqual(standing(userId)[0], 'left');
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(35, 46, 60)');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await chain.mintCoins([wallet], 10n ** 19n);
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByRole('button', { name: 'Back to the chat' }).click();
    assert.deepEqual(standing(userId), ['member', 'not waiting']);
    await status.first().waitFor();
    // The steps from the wallet to the chat, once Telegram has reported the join.
    const steps = page.getByRole('region', { name: 'Cat Club' }).getByRole('listitem');
    await steps.filter({ hasText: 'Wallet linked' }).first().waitFor();
    await page
      .getByRole('button', { name: `Unlink ${wallet}` })
      .first()
      .waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    assert.deepEqual(await told(page), [
      ['web_app_ready', {}],
      ['web_app_expand', {}],
      ['web_app_close', {}],
    ]);
    assert.deepEqual(faults, []);
  });

  test('lets Telegram open each link to a wallet app that a person taps, with its address, and stays open', async () => {
    await using opened = await arrive('Gil', phone);
    const { page, faults } = opened;
    const here = page.url();
    const tapEach = async (names: readonly string[]) => {
      const links = page.getByRole('link', { name: /^Open in / });
      await links.first().waitFor();
      const shown = await links.all();
      const taken: [string, string][] = [];
      for (const link of shown) {
        const before = (await told(page)).length;
        await link.tap();
        const [[event, data] = [], ...more] = (await told(page)).slice(before);
        assert.deepEqual([event, data, more], ['web_app_open_link', { url: await link.getAttribute('href') }, []]);
        taken.push([(await link.innerText()).trim(), (data as { url: string }).url]);
      }
      assert.deepEqual(
        taken.map(([name]) => name.replace(/^[\s\S]*Open in /, '')),
        names,
      );
      assert.equal(page.url(), here);
      return taken.map(([, url]) => url);
    };
    await page.getByRole('button', { name: 'Use a wallet app' }).click();
    const apps = [
      'MetaMask',
      'Coinbase Wallet',
      'Rainbow',
      'Trust Wallet',
      'OKX Wallet',
      'Phantom',
      'Solflare',
      'Xverse',
    ];
    for (const url of await tapEach(apps)) assert.match(decodeURIComponent(decodeURIComponent(url)), /\/handoff\/\w+/);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'WalletConnect', exact: false }).click();
    const pairings = await tapEach(['MetaMask', 'Rainbow', 'Trust Wallet']);
    for (const url of pairings) {
      assert.match(url, /^https:\/\/[a-z.]+\/wc\?uri=/);
      assert.match(new URL(url).searchParams.get('uri') ?? '', /^wc:[0-9a-f]{64}@2\?/);
    }
    assert.equal(await page.locator('a[href^="wc:"]').count(), 0);
    await page.getByRole('img', { name: 'QR code for WalletConnect' }).waitFor();
    await page.getByRole('button', { name: 'Copy the link' }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    assert.deepEqual(faults, []);
  });

  test('reads from right to left for a person whose Telegram is in Arabic', async () => {
    await using opened = await arrive('Jalila', { language: 'ar', ...phone });
    const { page, faults } = opened;
    const wallet = page.getByRole('button', { name: 'Test Fox' });
    await wallet.waitFor();
    const shown = await page.evaluate(() => {
      const { lang, dir, scrollWidth } = document.documentElement;
      return { lang, dir, scrollWidth, direction: getComputedStyle(document.body).direction };
    });
    assert.deepEqual(shown, { lang: 'ar', dir: 'rtl', scrollWidth: 390, direction: 'rtl' });
    await page.getByRole('heading', { name: 'Cat Club' }).waitFor();
    assert.match(await page.locator('main').innerText(), /[\u0600-\u06ff]{3,}/);
    assert.doesNotMatch(await page.locator('main').innerText(), /Link a wallet|Check again|linked wallet|at least/);
    // What stands before the words is on their right.
    const [icon, words] = await Promise.all([
      wallet.locator('> *').first().boundingBox(),
      wallet.getByText('Test Fox').boundingBox(),
    ]);
    assert.ok((icon?.x ?? 0) > (words?.x ?? 0), 'the icon of a wallet is to the right of its name');
    assert.deepEqual(faults, []);
  });

  test('offers a passkey where the window of Telegram can make one, and says so where it cannot', async () => {
    {
      await using opened = await arrive('Hal');
      const device = await givePasskeyDevice(opened.page);
      await opened.page.getByRole('button', { name: 'Add a passkey' }).click();
      await opened.page.getByText('This device was added. You can sign in with it now.').waitFor();
      assert.equal((await device.passkeys()).length, 1);
    }
    await using opened = await arrive('Ida', { userAgent: 'Mozilla/5.0 (Linux; Android 15; wv) Chrome/140 Mobile' });
    const { page } = opened;
    await page.getByText('Passkeys do not work in this browser.').waitFor();
    // Only Telegram can open this page.
    assert.equal(await page.getByText('Open this page in the usual browser', { exact: false }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Add a passkey' }).count(), 0);
  });

  test('declines a person without it once their time is up, with the reason, and not before', async () => {
    await using opened = await arrive('Ben');
    const { page, faults, userId } = opened;
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByRole('button', { name: /^Unlink / }).waitFor();
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.locator('.card[aria-busy=false]').first().waitFor();
    assert.equal(telegram.sentMessages(userId).length, 0);
    await passPageTime(userId);
    const outcomes = 'select from telegram_join_queries where user_id = $1 and outcome = $2';
    const isDeclined = async () =>
      (await server.services.db.pool.query(outcomes, [`TEL#USER#${userId}`, 'declined'])).rowCount === 1;
    await until('the request is declined', isDeclined);
    assert.match(telegram.sentMessages(userId)[0]?.text ?? '', /^Cat Club requires tokens/);
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('This page has expired', { exact: false }).waitFor();
    assert.deepEqual(standing(userId), ['left', 'not waiting']);
    assert.deepEqual(faults, []);
  });

  test('keeps a request open while the chain cannot be read, and lets the person in afterwards', async () => {
    await using opened = await arrive('Cid');
    const { page, userId, wallet } = opened;
    await page.getByText('at least 1', { exact: false }).first().waitFor();
    await chain.mintCoins([wallet], 10n ** 19n);
    node.intercept(() => 'the node is down');
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByText('Your request stays open', { exact: false }).waitFor();
    assert.deepEqual(standing(userId), ['left', 'waiting']);
    node.intercept(undefined);
    await until('the person is in', () => standing(userId)[0] === 'member');
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('button', { name: 'Back to the chat' }).waitFor();
  });

  test('shows nothing to a person who opens the page of another', async () => {
    await using opened = await arrive('Dora');
    const { page, userId } = opened;
    const address = telegram.joinPages(chatId).get(userId) ?? '';
    const { id: mallory } = telegram.createUser('Mallory');
    const tgWebAppData = telegram.signInitData(mallory, { authDate: Math.floor(Date.now() / 1000) });
    await page.goto('about:blank');
    await page.goto(`${address}#${new URLSearchParams({ tgWebAppData })}`);
    await page.getByRole('alert').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Test Fox' }).count(), 0);
    assert.equal(telegram.statusOf(chatId, mallory).status, 'left');
  });

  test('shows admins who came around the gate, revokes a link of the bot, and builds a rule that gives a tag', async () => {
    const api = `${telegram.url}/bot${telegram.bot.token}`;
    const made = await fetch(`${api}/createChatInviteLink?chat_id=${chatId}&name=for%201`);
    const { result } = (await made.json()) as { result: { invite_link: string } };
    const { id: eve } = telegram.createUser('Eve');
    telegram.join(eve, result.invite_link);
    const count = async () => (await server.services.db.pool.query('select from gate_bypasses')).rowCount;
    await until('the join is known', async () => (await count()) === 1);
    const as = { 'x-api-key': server.adminKey };
    const path = `/communities/${encodeURIComponent(`TEL#COMM#${chatId}`)}`;
    const world = { server, browser: browserOf() };
    await using opened = await openConsole(world, { as, path: `${path}/setup`, viewport: { width: 390, height: 900 } });
    const { page, faults, goTo } = opened;
    await page.getByText('One-time invitation that another person used · for 1').waitFor();
    await page.getByText('1 person joined this way, most recently Eve', { exact: false }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await page.getByRole('button', { name: 'Revoke link' }).click();
    await page.getByText('The link is revoked. Nothing is left to do.').waitFor();
    assert.throws(() => telegram.join(telegram.createUser('Fay').id, result.invite_link), /expired/);
    const misused = page.getByLabel('Revoke the bot’s one-time invitations that another person used');
    assert.equal(await misused.isChecked(), false);
    await misused.click();
    await until('it is chosen', () => misused.isChecked());
    const settings = await server.services.db.pool.query('select revokes_misused from gate_settings');
    assert.deepEqual(settings.rows, [{ revokes_misused: true }]);
    await goTo(`${path}/rules/new`);
    const tag = page.getByLabel('Or a tag');
    await tag.fill('x'.repeat(17));
    await page.getByText('A tag has at most 16 characters; this one has 17.').waitFor();
    await tag.fill('Top holder');
    await page.getByText('10 of 16 characters', { exact: false }).waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Members get' }).inputValue(), 'Tag: Top holder');
    assert.deepEqual(faults, []);
  });

  test('lets admins put tags in order, with the keyboard too', async () => {
    const { pool } = server.services.db;
    const communityId = `TEL#COMM#${chatId}`;
    await pool.query(
      `insert into community_rules (id, community_id, role_id, definition, created_at, updated_at)
       select 'TPC#tag' || n, community_id, tag, definition || jsonb_build_object('roleId', tag), now() + n * interval '1 second', now()
       from community_rules, unnest($2::text[]) with ordinality as t (tag, n) where community_id = $1 and role_id = 'member'`,
      [communityId, ['tag:OG', 'tag:Whale']],
    );
    const as = { 'x-api-key': server.adminKey };
    const path = `/communities/${encodeURIComponent(communityId)}/rules`;
    await using opened = await openConsole(
      { server, browser: browserOf() },
      { as, path, viewport: { width: 390, height: 900 } },
    );
    const { page, faults } = opened;
    const up = page.getByRole('button', { name: 'Move Whale up' });
    await up.waitFor();
    assert.equal(await page.getByRole('button', { name: 'Move OG up' }).isDisabled(), true);
    await up.press('Enter');
    await page.getByText('Order saved. Members are checked again.').first().waitFor();
    await until('Whale is first', () => page.getByRole('button', { name: 'Move OG up' }).isEnabled());
    const { rows } = await pool.query(
      "select role_id from community_rules where community_id = $1 and role_id like 'tag:%' order by position",
      [communityId],
    );
    assert.deepEqual(
      rows.map(({ role_id }) => role_id),
      ['tag:Whale', 'tag:OG'],
    );
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    assert.deepEqual(faults, []);
  });

  /** As if the ten minutes on the page were over. */
  async function passPageTime(userId: number): Promise<void> {
    const { pool } = server.services.db;
    await pool.query("update telegram_join_queries set page_at = page_at - interval '20 minutes' where user_id = $1", [
      `TEL#USER#${userId}`,
    ]);
    await pool.query(
      "update jobs set run_at = now(), state = 'ready' where name = 'telegram.decide-join' and payload->>'userId' = $1",
      [String(userId)],
    );
  }
}
