import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type EvmWorld, startEvmWorld } from '@latchkey/chains/testing';
import { contextFor, createCommunity, createRule } from '@latchkey/core';
import { linkAddress, type RedditAccess, readPairing, type Store, sync } from '@latchkey/devvit-app';
import { type RedditEmulator, startRedditEmulator } from '@latchkey/emulators/reddit';
import { startTestServer, type TestServer } from '@latchkey/server/testing/test-server';
import { until } from '@latchkey/test-kit';
import type { Browser } from 'playwright-core';
import { getAddress } from 'viem';
import { openPage } from './harness/browser.ts';
import { openConsole } from './harness/console.ts';
import { giveEvmWallet } from './harness/evm-wallet.ts';

type Subreddit = ReturnType<RedditEmulator['world']['addSubreddit']>;

/** A subreddit whose moderators have no token: paired with the Devvit app in the console, and used by a member. */
export function devvitSuite(browserOf: () => Browser): void {
  let reddit: RedditEmulator;
  let chain: EvmWorld;
  let server: TestServer;
  let gated: Subreddit;
  let communityId: string;
  let app: ReturnType<typeof installApp>;
  before(async () => {
    reddit = await startRedditEmulator();
    chain = await startEvmWorld();
    server = await startTestServer({
      LATCHKEY_REDDIT_CLIENT_ID: reddit.clientId,
      LATCHKEY_REDDIT_CLIENT_SECRET: reddit.clientSecret,
      LATCHKEY_REDDIT_API_URL: reddit.url,
      LATCHKEY_REDDIT_AUTH_URL: reddit.url,
      LATCHKEY_EVM_RPC_URLS: `${chain.chainId}=${chain.url}`,
    });
    reddit.redirectUris.add(`${server.url}/login/return/reddit`);
    for (const name of ['mod', 'ann']) reddit.world.addUser(name);
    gated = reddit.world.addSubreddit('gated', ['mod'], ['Holder', 'Other']);
    app = installApp(gated);
    const ctx = contextFor(server.services, { kind: 'admin', name: 'test' });
    const body = { platform: 'reddit', communityId: gated.name, name: 'r/gated', ownerId: 'RED#USER#mod' } as const;
    communityId = (await createCommunity(ctx, { body })).id ?? '';
    for (const roleId of [`flair:${gated.flairs[0]?.id}`, 'approved'])
      await createRule(ctx, {
        id: communityId,
        body: { type: 'ERC20', chainId: chain.chainId, contractAddress: chain.contracts.erc20, minToken: '1', roleId },
      });
  });
  after(async () => {
    await server?.close();
    await Promise.all([reddit?.stop(), chain?.stop()]);
  });

  /** The code of the app on Devvit, with the subreddit that it is installed in and storage of its own. */
  function installApp(subreddit: Subreddit) {
    const values = new Map<string, string>();
    const store: Store = {
      get: async (key) => values.get(key),
      set: async (key, value) => void values.set(key, value),
      delete: async (key) => void values.delete(key),
      claim: async (key, value) => {
        if (values.has(key)) return false;
        values.set(key, value);
        return true;
      },
    };
    const textOf = (user: string) => {
      const flair = subreddit.flairs.find(({ id }) => id === subreddit.flairOf.get(user));
      return flair?.text;
    };
    const access: RedditAccess = {
      subreddit: async () => ({ id: subreddit.id, name: subreddit.name }),
      flairs: async () => subreddit.flairs,
      flairOf: async (user) => textOf(user),
      isApproved: async (user) => subreddit.approved.has(user),
      list: async (part) => ({
        users: [...(part === 'flair' ? subreddit.flairOf.keys() : subreddit.approved)].map((name) => {
          const text = part === 'flair' ? textOf(name) : undefined;
          return { name, ...(text !== undefined && { text }) };
        }),
      }),
      setFlair: async (user, id) => void subreddit.flairOf.set(user, id),
      removeFlair: async (user) => void subreddit.flairOf.delete(user),
      approve: async (user) => void subreddit.approved.add(user),
      unapprove: async (user) => void subreddit.approved.delete(user),
    };
    const run = (pairingCode: string) =>
      sync({ pairingCode, reddit: access, store, fetch, now: Date.now, nonce: randomUUID });
    return { run };
  }

  const as = async (name: string) => ({ authorization: await server.aeToken(`RED#USER#${name}`) });
  const world = () => ({ server, browser: browserOf() });
  const settings = () => `/communities/${encodeURIComponent(communityId)}/settings`;
  let code = '';

  test('is paired with a code from the console: a wrong, foreign, expired or replaced one is refused', async () => {
    await using opened = await openConsole(world(), { as: await as('mod'), path: settings(), expectsRefusals: true });
    const { page, faults } = opened;
    const heading = page.getByRole('heading', { name: 'Devvit app', exact: true });
    const section = page.locator('section').filter({ has: heading });
    const newCode = async () => (await page.getByText(/^lkdv1\./).textContent()) ?? '';
    await page.getByText('Install the app in the subreddit', { exact: false }).waitFor();
    await section.getByRole('button', { name: 'Create pairing code' }).click();
    await page.getByText('Waiting for the first call').waitFor();
    const first = await newCode();

    assert.deepEqual(await app.run('a word'), { kind: 'unpaired' });
    assert.deepEqual(await app.run(`${first.slice(0, 20)}.`), { kind: 'unpaired' });
    const elsewhere = installApp(reddit.world.addSubreddit('elsewhere', ['mod'], ['Holder']));
    const refused = { kind: 'stopped', reason: 'The server responded with status 401.' };
    assert.deepEqual(await elsewhere.run(first), refused);

    await server.services.db.pool.query("update devvit_apps set paired_at = now() - interval '25 hours'");
    assert.deepEqual(await app.run(first), refused);
    await page.reload();
    await page.getByText('Pairing code expired').waitFor();
    await page.getByText('No app used the code within 24 hours.', { exact: false }).waitFor();

    await page.getByRole('button', { name: 'Replace code' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create pairing code' }).click();
    await page.getByText('Waiting for the first call').waitFor();
    code = await newCode();
    assert.notEqual(code, first);
    assert.deepEqual(await app.run(first), refused);
    assert.equal((await app.run(code)).kind, 'done');
    await page.reload();
    await section.getByText('Connected', { exact: true }).waitFor();
    await section.getByText('No changes wait for it.', { exact: false }).waitFor();

    // Another subreddit cannot join the pairing, even one that took the name.
    const taken = installApp({ ...gated, id: 't5_other' });
    assert.deepEqual(await taken.run(code), refused);
    assert.equal((await app.run(code)).kind, 'done');
    await page.setViewportSize({ width: 390, height: 800 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    assert.deepEqual(faults, []);
  });

  test('leads a member from Reddit to a wallet, and gives flair and approval on our signed word', async () => {
    await using opened = await openPage(browserOf(), {
      expectsRefusals: true,
      reducedMotion: 'reduce',
      viewport: { width: 390, height: 800 },
    });
    const { page, faults } = opened;
    const wallet = await giveEvmWallet(page);
    await chain.mintCoins([getAddress(wallet.address)], 10n ** 19n);
    const pairing = readPairing(code) ?? assert.fail('not paired');
    // Where the menu item of the subreddit leads.
    const address = linkAddress(pairing);
    assert.ok(address.startsWith(`${server.url}/`), address);
    await page.goto(address);
    await page
      .getByRole('link', { name: /Reddit/ })
      .or(page.getByRole('button', { name: /Reddit/ }))
      .first()
      .click();
    await page.waitForURL(({ pathname }) => pathname.endsWith('/api/v1/authorize'));
    await page.getByRole('combobox').selectOption('ann');
    await page.getByRole('button', { name: 'Allow' }).click();
    const here = page.getByRole('region', { name: 'r/gated' });
    await here.getByText('Holder', { exact: false }).first().waitFor();
    await page.locator('li[data-state=stopped]').filter({ hasText: 'No wallet linked' }).first().waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);

    await here.getByRole('link', { name: 'Link a wallet', exact: true }).click();
    await page.getByRole('button', { name: 'Link a wallet' }).click();
    const dialog = page.getByRole('dialog', { name: 'Link a wallet' });
    await dialog.getByRole('button', { name: 'Test Fox' }).click();
    await dialog.getByText('is linked.').waitFor();
    assert.deepEqual([gated.flairOf.get('ann'), gated.approved.has('ann')], [undefined, false]);
    await page.goto(address);
    await here
      .getByText(/Checked at block [\d.,]+ of/)
      .first()
      .waitFor();

    // Every minute the app calls; each word is for this call alone.
    const isGiven = () => gated.flairOf.get('ann') === gated.flairs[0]?.id && gated.approved.has('ann');
    await until('the app gives both', async () => {
      await app.run(code);
      return isGiven();
    });
    await page.getByText('Seen in Reddit').first().waitFor();

    await using support = await openConsole(world(), { as: await as('mod'), path: settings(), expectsRefusals: true });
    await support.page.getByText('No changes wait for it.', { exact: false }).waitFor();
    await support.goTo(`/communities/${encodeURIComponent(communityId)}/members/${encodeURIComponent('RED#USER#ann')}`);
    await support.page.getByText('Seen in Reddit').first().waitFor();
    const foreign = new URL(reddit.url).host;
    assert.deepEqual(
      [...faults, ...support.faults].filter((fault) => !fault.includes(foreign)),
      [],
    );
  });
}
