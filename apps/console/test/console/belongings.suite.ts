import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { communitiesIn } from '../harness/communities.ts';
import { asOperator, asPerson, type ConsoleWorld, openConsole, signIn } from '../harness/console.ts';

const safe = `0x${'5a'.repeat(20)}`;
const receiver = `0x${'be'.repeat(20)}`;
const time = '2026-01-02T03:04:05.000Z';

/** What a community has: a wallet, mini-apps, a subreddit. */
export function belongingsSuite(world: () => ConsoleWorld): void {
  const { newCommunity } = communitiesIn(world);

  /** Answers like a server whose community has a wallet; what the page sends is kept. */
  async function actAsWallet(page: Page) {
    const sent: unknown[] = [];
    const transfer = {
      id: 'a1',
      kind: 'transfer',
      state: 'proposed',
      requestedBy: 'x',
      createdAt: time,
      updatedAt: time,
    };
    const history: object[] = [];
    await page.route('**/communities/*/wallet', (call) =>
      call.request().resourceType() === 'document'
        ? call.fallback()
        : call.fulfill({ json: { address: safe, status: 'DEPLOYED', userId: 'x', timestamp: 0, communityId: 'x' } }),
    );
    await page.route(`**/latchkey/treasuries/${safe}`, (call) =>
      call.fulfill({
        json: {
          address: safe,
          chainId: 31337,
          chainName: 'Local test chain',
          holder: 'community',
          holderId: 'x',
          status: 'DEPLOYED',
          balance: '2500000000000000000',
          ownerAddress: safe,
          control: 'server',
          isYours: true,
        },
      }),
    );
    await page.route(`**/latchkey/treasuries/${safe}/actions*`, (call) => call.fulfill({ json: { items: history } }));
    await page.route(`**/latchkey/treasuries/${safe}/transfers`, (call) => {
      sent.push(call.request().postDataJSON());
      const approval = { digest: '0x', summary: [`To: ${receiver}`], warnings: [], expiresAt: time };
      return call.fulfill({ json: { ...transfer, approval } });
    });
    await page.route(`**/latchkey/treasuries/${safe}/actions/a1/approve`, (call) => {
      sent.push(call.request().postDataJSON());
      const approved = { ...transfer, state: 'waiting', standard: 'coin', to: receiver, amount: '1500000000000000000' };
      history.push(approved);
      return call.fulfill({ json: approved });
    });
    return sent;
  }

  test('sends from the wallet what was typed, once a code approves it', async () => {
    const { owner, path } = await newCommunity('Foxes');
    await using opened = await openConsole(world(), { as: await asPerson(world(), owner), expectsRefusals: true });
    const { page, faults, goTo } = opened;
    const sent = await actAsWallet(page);
    await goTo(`${path}/wallet`);
    await page.getByText('2.5', { exact: false }).first().waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByLabel('Amount').fill('1.5x');
    await page.getByLabel('Receiver').fill(receiver);
    await page.getByRole('button', { name: 'Review transfer' }).click();
    await page.getByText(/Enter a number above 0/).waitFor();
    assert.deepEqual(sent, []);
    await page.getByLabel('Amount').fill('1.5');
    await page.getByRole('button', { name: 'Review transfer' }).click();
    await page.getByText(`To: ${receiver}`).waitFor();
    await page.getByLabel('Code of your authenticator app').fill('123456');
    await page.getByRole('button', { name: 'Approve and send', exact: true }).click();
    await page.getByText('1.5 coins').waitFor();
    assert.deepEqual(sent, [{ standard: 'coin', to: receiver, amount: '1500000000000000000' }, { otp: '123456' }]);
    assert.deepEqual(faults, []);
  });

  test('shows what an installed app may do, and saves its settings', async () => {
    const { owner, path, id } = await newCommunity('Owls');
    const { pool } = world().server.services.db;
    const manifest = { appId: 'polls-of-owls', appType: 'action', developer: 'x', name: 'Polls', shortName: 'polls' };
    await pool.query('insert into mini_app_manifests (app_id, manifest, registered_at) values ($1, $2, now())', [
      manifest.appId,
      manifest,
    ]);
    await pool.query(
      `insert into community_apps (community_id, app_id, admin_id, manifest, installed_version, metadata, installed_at)
       values ($1, $2, $3, $4, '1.0.0', '{"limit": 5}', now())`,
      [id, manifest.appId, owner, manifest],
    );
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), owner),
      path: `${path}/apps`,
      expectsRefusals: true,
    });
    const { page, faults } = opened;
    await page.getByRole('button', { name: 'Manage Polls' }).click();
    await page.getByText('Asks members for no access to their accounts.').waitFor();
    await page.getByRole('button', { name: 'Add setting' }).click();
    await page.getByLabel('Name').last().fill('colour');
    await page.getByLabel('Value').last().fill('red');
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT');
    await page.getByRole('button', { name: 'Save settings' }).click();
    assert.equal((await saved).status(), 204);
    const { rows } = await pool.query<{ metadata: unknown }>('select metadata from community_apps where app_id = $1', [
      manifest.appId,
    ]);
    assert.deepEqual(rows[0]?.metadata, { limit: 5, colour: 'red' });
    assert.deepEqual(faults, []);
  });

  test('takes a moderator through the consent on Reddit to a linked subreddit', async () => {
    const { reddit, server } = world();
    reddit.redirectUris.add(`${server.url}/login/return/reddit`);
    reddit.world.addUser('newt_mod');
    reddit.world.addSubreddit('newts', ['newt_mod'], ['Newt']);
    await using opened = await signIn(world(), {});
    const { page, faults } = opened;
    const decide = async (decision: string) => {
      await page.waitForURL(({ pathname }) => pathname.endsWith('/api/v1/authorize'));
      await page.getByRole('combobox').selectOption('newt_mod');
      await page.getByRole('button', { name: decision }).click();
    };
    const goOn = page.getByRole('button', { name: 'Continue to Reddit' });
    const wizard = encodeURIComponent('/console/communities/new?platform=reddit');
    await page.goto(`${server.url}/login/console/with/reddit?to=${wizard}`);
    await decide('Allow');
    await page.getByText('Signed in with Reddit').waitFor();
    await goOn.click();
    await decide('Decline');
    await page.getByText('You did not allow it on Reddit.').waitFor();
    await goOn.click();
    await decide('Allow');
    await page.getByText('Allowed by u/newt_mod').waitFor();
    assert.ok(!page.url().includes('code='), 'the code stays neither in the address nor in the history');
    await page.reload();
    await page.getByRole('button', { name: 'Link r/newts' }).click();
    await page.waitForURL(({ pathname }) => pathname.endsWith('/setup'));
    await page.getByRole('heading', { level: 1 }).waitFor();
    const { json } = await server.request('GET', '/reddit/is-community-config-set?communityId=newts', {
      headers: asOperator(world()),
    });
    assert.equal(json.botTokenStatus, 'valid');
    const elsewhere = new URL(reddit.url).host;
    assert.deepEqual(
      faults.filter((fault) => !fault.includes(elsewhere)),
      [],
    );
  });

  test('lets a moderator paste a token instead, and keeps what was typed if Reddit refuses', async () => {
    const { owner } = await newCommunity('Newts');
    await using opened = await openConsole(world(), { as: await asPerson(world(), owner), expectsRefusals: true });
    const { page, faults, goTo } = opened;
    const sent: unknown[] = [];
    await page.route('**/reddit/community', (call) => {
      sent.push(call.request().postDataJSON());
      return call.fallback();
    });
    await goTo('/communities/new');
    await page.getByRole('button', { name: 'Reddit' }).click();
    await page.getByText('You are signed in with another account.').waitFor();
    await page.getByRole('button', { name: 'Paste a token' }).click();
    await page.getByLabel('Subreddit').fill('r/cats');
    await page.getByLabel('Refresh token').first().fill('a-token');
    await page.getByRole('button', { name: 'Link subreddit' }).click();
    await page.getByText('The token must belong to a moderator of this subreddit.').waitFor();
    assert.equal(await page.getByLabel('Subreddit').inputValue(), 'r/cats');
    assert.deepEqual(sent, [{ communityName: 'cats', botToken: 'a-token' }]);
    assert.deepEqual(faults, []);
  });
}
