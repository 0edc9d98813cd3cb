import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { someAddresses } from '@latchkey/chains/testing';
import { contextFor, createConnectLink, takeDiscordEvent, userKey } from '@latchkey/core';
import { startWalletConnectRelay, type WalletConnectRelay } from '@latchkey/emulators/walletconnect-relay';
import { fillGuild, type GatedGuild, gateGuild } from '@latchkey/server/testing/gated-world';
import { startTestServer, type TestServer } from '@latchkey/server/testing/test-server';
import type { Page } from 'playwright-core';
import { encode } from 'uqr';
import { getAddress } from 'viem';
import { openPage, type Watch } from '../harness/browser.ts';
import type { ConsoleWorld } from '../harness/console.ts';
import { consoleEnvironment } from '../harness/fresh-world.ts';
import { findViolations, fits } from '../harness/look-at.ts';
import { startPageServer } from '../harness/page-server.ts';
import { samplePages } from '../harness/sample-pages.ts';
import { openWalletConnectWallet } from '../harness/walletconnect-wallet.ts';

const projectId = 'test-project';
const phone = {
  viewport: { width: 390, height: 800 },
  userAgent: 'Mozilla/5.0 (iPhone) Version/17 Mobile Safari',
};

/** Linking a wallet app by WalletConnect, where the operator chose to offer it. */
export function walletConnectSuite(shared: () => ConsoleWorld): void {
  let relay: WalletConnectRelay;
  let server: TestServer;
  let guild: GatedGuild;
  before(async () => {
    const { chain, discord } = shared();
    relay = await startWalletConnectRelay();
    server = await startTestServer({
      ...consoleEnvironment(shared()),
      LATCHKEY_SERVICE_NAME: 'Cat Keys',
      LATCHKEY_WALLETCONNECT_PROJECT_ID: projectId,
      LATCHKEY_WALLETCONNECT_RELAY_URL: relay.url,
    });
    guild = fillGuild(discord, someAddresses(1, 900), 1);
    const { chainId, contracts } = chain;
    const rule = { type: 'ERC20', chainId, contractAddress: contracts.erc20, minToken: '1', roleId: roleId() };
    await gateGuild(server.services, guild, [{ name: 'Coin holders', ...rule }]);
  });
  after(async () => {
    await server?.close();
    await relay?.stop();
  });
  const roleId = () => guild.roleIds[0] ?? '';

  /** A new member at the page of their own link. */
  async function arrive(at: TestServer, name: string, watch: Watch = {}) {
    const { id } = shared().discord.addMember(guild.id, { name }).user;
    const joined = { guildId: guild.id, userId: id, userName: name, roleIds: [], isBot: false };
    await takeDiscordEvent(at.services, { kind: 'member-joined', ...joined });
    const bot = contextFor(at.services, { kind: 'system', job: 'test' });
    const person = { userId: userKey('discord', id), platform: 'discord', name };
    const communityId = at === server ? guild.communityId : undefined;
    const { url } = await createConnectLink(bot, person, { communityId, withPasskeys: true });
    const opened = await openPage(shared().browser, { reducedMotion: 'reduce', ...watch });
    const scripts: string[] = [];
    const lines: string[] = [];
    opened.page.on('response', (response) => scripts.push(new URL(response.url()).pathname));
    opened.page.on('websocket', (line) => lines.push(new URL(line.url()).origin));
    const policy = (await opened.page.goto(url))?.headers()['content-security-policy'] ?? '';
    const hasCode = () => scripts.some((path) => path.includes('link-wallet'));
    return { ...opened, id, policy, lines, hasCode };
  }

  const choice = (page: Page) => page.getByRole('button', { name: 'WalletConnect', exact: false });
  const status = (page: Page) => page.getByRole('status').filter({ hasText: /\S/ });

  test('a member scans the code with a wallet app, signs once and gets the role', async () => {
    const { chain, discord } = shared();
    await using wallet = await openWalletConnectWallet(relay.url);
    const { evm, solana } = wallet.addresses;
    await chain.mintCoins([getAddress(evm)], 10n ** 23n);
    await using opened = await arrive(server, 'ann', {
      expectsRefusals: true,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page, faults, id, policy, lines, hasCode } = opened;
    assert.ok(policy.split('; ').includes(`connect-src 'self' ${relay.url}`), policy);
    await choice(page).waitFor();
    await page.waitForLoadState('networkidle');
    assert.deepEqual([hasCode(), lines], [false, []], 'nothing of it is loaded before it is chosen');

    const chooseAccount = (address: string) => page.getByRole('button', { name: address }).click();
    await choice(page).click();
    const code = page.getByRole('img', { name: 'QR code for WalletConnect' });
    await code.waitFor();
    await page.getByRole('button', { name: 'Copy the link' }).click();
    await page.getByText('Copied.').waitFor();
    const uri = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(await code.locator('path').getAttribute('d'), drawn(uri));
    await wallet.scan(uri);
    await page.getByRole('heading', { name: 'Which account of Test Fox Mobile do you want to link?' }).waitFor();
    await chooseAccount(evm);
    await page.getByText('You have it').waitFor();
    assert.ok(discord.getGuild(guild.id).members.get(id)?.roles.has(roleId()));

    await wallet.parted;
    assert.deepEqual(wallet.requests, ['personal_sign']);
    const [message = ''] = wallet.messages;
    assert.ok(message.startsWith(`${new URL(server.url).host} wants you to sign in with your Ethereum account:`));
    assert.deepEqual([...new Set(lines)], [relay.url]);
    await choice(page).click();
    await page.getByRole('button', { name: 'Copy the link' }).click();
    await page.getByText('Copied.').waitFor();
    await wallet.scan(await page.evaluate(() => navigator.clipboard.readText()));
    await chooseAccount(solana);
    await page.getByRole('button', { name: `Unlink ${solana}` }).waitFor();
    assert.deepEqual(wallet.requests, ['personal_sign', 'solana_signMessage']);
    const kept = await page.evaluate(async () => [
      localStorage.length,
      sessionStorage.length,
      (await indexedDB.databases()).length,
    ]);
    assert.deepEqual(kept, [0, 0, 0]);
    assert.deepEqual(faults, []);
  });

  test('on a phone a link opens the wallet app, and what its owner declines is said in words', async () => {
    await using wallet = await openWalletConnectWallet(relay.url);
    // The checker of the page runs in it, which the policy would not let in.
    await using opened = await arrive(server, 'bob', { ...phone, bypassCSP: true, expectsRefusals: true });
    const { page, faults } = opened;
    const link = page.getByRole('link', { name: 'Open my wallet app' });
    const begin = async () => {
      await choice(page).click();
      const uri = (await link.getAttribute('href')) ?? '';
      assert.match(uri, /^wc:[0-9a-f]{64}@2\?/);
      return uri;
    };
    wallet.owner = 'rejects the connection';
    const first = await begin();
    assert.deepEqual(await findViolations(page), []);
    assert.ok(await fits(page));
    await wallet.scan(first);
    await status(page).filter({ hasText: 'You declined in your wallet. Nothing was signed.' }).waitFor();
    await link.waitFor({ state: 'detached' });

    wallet.owner = 'declines to sign';
    const { promise: read, resolve: decide } = Promise.withResolvers<void>();
    wallet.decision = read;
    await wallet.scan(await begin());
    await page.getByRole('button', { name: wallet.addresses.evm }).click();
    await page.getByRole('heading', { name: 'Sign the message in your wallet' }).waitFor();
    decide();
    await status(page).filter({ hasText: 'You declined in your wallet. Nothing was signed.' }).waitFor();
    assert.equal(wallet.messages.length, 1);

    await begin();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await link.waitFor({ state: 'detached' });
    await page.getByText('No wallets linked yet.').waitFor();
    assert.deepEqual(faults, []);
  });

  test('a code that is not scanned expires, and a relay that is not there is named', async () => {
    const { browser } = shared();
    await using pages = await startPageServer();
    const gone = await startWalletConnectRelay();
    await gone.stop();
    const walletConnect = { projectId, siteName: 'Cat Keys', evmChainIds: [1] };
    await using opened = await openPage(browser);
    const { page, faults } = opened;
    await page.clock.install();
    await page.goto(pages.show({ ...samplePages.connect, walletConnect: { ...walletConnect, relayUrl: relay.url } }));
    await choice(page).click();
    await page.getByRole('img', { name: 'QR code for WalletConnect' }).waitFor();
    await page.clock.fastForward('05:01');
    await status(page).filter({ hasText: 'The QR code has expired. Start again to get a new one.' }).waitFor();
    assert.equal(faults.length, 0, faults.join('\n'));
    await page.clock.resume();
    await page.goto(pages.show({ ...samplePages.connect, walletConnect: { ...walletConnect, relayUrl: gone.url } }));
    await choice(page).click();
    await status(page).filter({ hasText: 'The WalletConnect relay could not be reached.' }).waitFor();
    assert.deepEqual(
      faults.filter((fault) => !fault.startsWith('console: WebSocket connection to')),
      [],
    );
  });

  test('without a project id nothing of it is offered, loaded or allowed', async () => {
    await using opened = await arrive(shared().server, 'cleo');
    const { page, faults, policy, lines, hasCode } = opened;
    await page.getByRole('button', { name: 'Use a wallet on your phone' }).waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(await page.getByText('WalletConnect').count(), 0);
    assert.ok(policy.split('; ').includes("connect-src 'self'"), policy);
    assert.deepEqual([hasCode(), lines], [false, []]);
    assert.deepEqual(faults, []);
  });
}

/** The dark squares of a QR code, as the page draws them. */
function drawn(text: string): string {
  const { data } = encode(text, { ecc: 'L', border: 2 });
  return data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
}
