import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  contextFor,
  createCommunity,
  createConnectLink,
  noteMember,
  openConnectLink,
  revokeAeToken,
} from '@latchkey/core';
import type { Route } from 'playwright-core';
import { openPage, type Watch } from './harness/browser.ts';
import { giveEvmWallet } from './harness/evm-wallet.ts';
import { filledLike } from './harness/filled-like.ts';
import { carryOver, readCode } from './harness/handoff.ts';
import type { Running } from './harness/running.ts';
import { giveSolanaWallet } from './harness/solana-wallet.ts';

/** The page that connects wallets. */
export function walletsSuite(running: () => Running, newUserId: () => string): void {
  /** A new person at the page of their own link. */
  async function arrive(options: { userId?: string; communityId?: string; watch?: Watch } = {}) {
    const { server, browser } = running();
    const { userId = newUserId(), communityId, watch } = options;
    const system = contextFor(server.services, { kind: 'system', job: 'test' });
    const person = { userId, platform: 'discord', name: `Person ${userId}` };
    const { url, slug } = await createConnectLink(system, person, { communityId, withPasskeys: true });
    const opened = await openPage(browser, watch);
    return { ...opened, userId, url, slug, status: opened.page.getByRole('status').filter({ hasText: /\S/ }) };
  }

  const linkedTo = async (userId: string) => {
    const query = running().server.services.db.system.selectFrom('wallet_connections').where('user_id', '=', userId);
    return (await query.select('address').execute()).map(({ address }) => address);
  };

  /** Has people be members of one community, in which a wallet belongs to one of them. */
  async function meet(...userIds: string[]): Promise<void> {
    const system = contextFor(running().server.services, { kind: 'system', job: 'test' });
    await createCommunity(system, { body: { platform: 'discord', communityId: '4712', name: 'Cat Club' } });
    for (const userId of userIds) {
      const news = { kind: 'joined', userName: userId, roleIds: [] } as const;
      await noteMember(running().server.services, 'discord', '4712', userId.split('#').at(-1) ?? '', news);
    }
  }

  test('links a wallet that signs, asks it for nothing but a signature, and shows and unlinks it', async () => {
    const { page, faults, url, userId, status } = await arrive();
    const wallet = await giveEvmWallet(page);
    await page.goto(url);
    await page.getByText('No wallets linked yet.').waitFor();
    const choice = page.getByRole('button', { name: 'Test Fox' });
    const shown = (await choice.textContent()) ?? '';
    const filled = await page.locator('main').evaluate(filledLike, shown);
    assert.deepEqual(filled, [shown], 'the next step is the only filled button');
    await choice.click();
    await status.filter({ hasText: 'is linked. Your roles follow' }).waitFor();
    assert.deepEqual(await linkedTo(userId), [wallet.address]);
    assert.deepEqual(
      wallet.requests.map(({ method }) => method),
      ['eth_requestAccounts', 'eth_chainId', 'personal_sign'],
    );
    const [message = ''] = wallet.messages;
    assert.ok(
      message.startsWith(`${new URL(running().server.url).host} wants you to sign in with your Ethereum account:`),
    );
    assert.ok(message.includes(userId) && message.includes('it costs nothing and moves nothing'));

    await page.getByRole('button', { name: `Unlink ${wallet.address}` }).click();
    await page.getByRole('dialog', { name: 'Unlink this wallet?' }).getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual(await linkedTo(userId), [wallet.address]);
    const focused = () =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id);
    assert.equal(await focused(), `Unlink ${wallet.address}`);
    await page.getByRole('button', { name: `Unlink ${wallet.address}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await page.getByText('No wallets linked yet.').waitFor();
    assert.equal(await page.getByText('is linked.').count(), 0, 'what was said before is not so any more');
    assert.equal(await focused(), 'linked-title');
    assert.deepEqual(await linkedTo(userId), []);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('links a Solana wallet by the wallet standard', async () => {
    const { page, faults, url, userId, status } = await arrive();
    const wallet = await giveSolanaWallet(page);
    await page.goto(url);
    await page.getByRole('button', { name: 'Test Ghost' }).click();
    await status.filter({ hasText: 'is linked.' }).waitFor();
    assert.deepEqual(await linkedTo(userId), [wallet.address]);
    assert.match(wallet.messages[0] ?? '', /wants you to sign in with your Solana account/);
    await page.getByRole('button', { name: `Unlink ${wallet.address}` }).waitFor();
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('keeps a new wallet in the list when an older answer comes late', async () => {
    const { page, faults, url } = await arrive();
    const wallet = await giveEvmWallet(page);
    const { promise: held, resolve: hold } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const lists = (address: URL) => address.pathname === '/wallet-manager/wallet-connections';
    let isFirst = true;
    const holdFirst = async (route: Route) => {
      if (!isFirst || route.request().method() !== 'GET') return route.continue();
      isFirst = false;
      const response = await route.fetch();
      hold();
      await released;
      return route.fulfill({ response });
    };
    await page.route(lists, holdFirst);
    await page.goto(url);
    await held;
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByRole('button', { name: `Unlink ${wallet.address}` }).waitFor();
    const late = page.waitForResponse((response) => lists(new URL(response.url())));
    release();
    await (await late).finished();
    // Two pictures later the page has shown whatever it makes of the answer.
    await page.evaluate(() => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))));
    assert.equal(await page.getByRole('button', { name: `Unlink ${wallet.address}` }).count(), 1);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('has the message name the community, whatever the community is called', async () => {
    const ownerId = newUserId();
    const name = `</script><script>alert(1)</script><img src=x onerror=alert(2)>`;
    const system = contextFor(running().server.services, { kind: 'system', job: 'test' });
    const community = await createCommunity(system, {
      body: { platform: 'discord', communityId: '4711', name, ownerId },
    });
    const { page, faults, url, userId, status } = await arrive({
      userId: ownerId,
      communityId: community.id ?? '',
      // Who owns a community need not be in it, and then has no roles there.
      watch: { expectsRefusals: true },
    });
    const wallet = await giveEvmWallet(page);
    await page.goto(url);
    await page.getByText(name).first().waitFor();
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await status.filter({ hasText: 'is linked.' }).waitFor();
    assert.match(wallet.messages[0] ?? '', /Resources:\n- .*\/communities\/DIS%23COMM%234711$/);
    assert.deepEqual(await linkedTo(userId), [wallet.address]);
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await status.filter({ hasText: 'was linked already.' }).waitFor();
    assert.equal(wallet.messages.length, 1, 'a wallet that is linked signs nothing more');
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('links nothing when the owner declines or the signature is of another key or text', async () => {
    const { page, faults, url, userId, status } = await arrive();
    const [fox, ghost] = [await giveEvmWallet(page), await giveSolanaWallet(page)];
    await page.goto(url);
    for (const [wallet, name] of [
      [fox, 'Test Fox'],
      [ghost, 'Test Ghost'],
    ] as const) {
      wallet.owner = 'declines';
      await page.getByRole('button', { name }).click();
      await status.filter({ hasText: 'You declined in your wallet. Nothing was signed.' }).waitFor();
      wallet.owner = name === 'Test Fox' ? 'signs with another key' : 'signs something else';
      await page.getByRole('button', { name }).click();
      await status.filter({ hasText: /The signature does not match .* Sign with that account/ }).waitFor();
    }
    assert.deepEqual(await linkedTo(userId), []);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('asks before it takes a wallet from another account', async () => {
    const [first, second] = [await arrive(), await arrive()];
    await meet(first.userId, second.userId);
    const wallet = await giveEvmWallet(first.page);
    await first.page.goto(first.url);
    await first.page.getByRole('button', { name: 'Test Fox' }).click();
    await first.status.filter({ hasText: 'is linked.' }).waitFor();

    await first.page.goto(second.url);
    const { page } = first;
    await page.getByRole('button', { name: 'Test Fox' }).click();
    const question = page.getByRole('dialog', { name: 'Move this wallet to this account?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual([await linkedTo(first.userId), await linkedTo(second.userId)], [[wallet.address], []]);
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await question.getByRole('button', { name: 'Move it here' }).click();
    await page.getByRole('status').filter({ hasText: 'is linked.' }).waitFor();
    assert.deepEqual([await linkedTo(first.userId), await linkedTo(second.userId)], [[], [wallet.address]]);
    assert.deepEqual([...first.faults, ...second.faults], []);
    for (const opened of [first, second]) await opened.page.context().close();
  });

  test('lets a proxy be chosen when the server finds some', async () => {
    const { page, faults, url, status } = await arrive();
    await giveEvmWallet(page);
    const proxy = '0x00000000000000000000000000000000000000aA';
    const sent: unknown[] = [];
    // No chain here has such proxies; what the page does with the answer is the matter.
    await page.route('**/wallet-manager/wallet-connections', async (route) => {
      const body = route.request().method() === 'PUT' ? route.request().postDataJSON() : {};
      if (body.signature === undefined) return route.continue();
      sent.push(body.proxyType);
      const proxies = [{ proxyAddresses: [proxy], proxyType: 'dsproxy' }];
      return route.fulfill({ json: { success: false, code: 'PROXY_REQUIRED', state: 'pending', proxies } });
    });
    await page.route('**/wallet-connections/resume', (route) => {
      sent.push(route.request().postDataJSON());
      return route.fulfill({ json: { success: true, code: 'CONNECTED', address: proxy } });
    });
    await page.goto(url);
    await page.getByText('My tokens are in a Safe or a DSProxy').click();
    await page.getByRole('radio', { name: 'Its DSProxy' }).check();
    await page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByRole('button', { name: proxy }).click();
    await status.filter({ hasText: 'is linked.' }).waitFor();
    assert.deepEqual(sent, ['dsproxy', { state: 'pending', proxyAddress: proxy }]);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('takes a signature that was made elsewhere', async () => {
    const { page, faults, url, userId, status } = await arrive({ watch: { viewport: { width: 360, height: 740 } } });
    const { ed25519 } = await import('@noble/curves/ed25519.js');
    const { base58 } = await import('@scure/base');
    const { secretKey, publicKey } = ed25519.keygen();
    await page.goto(url);
    await page.getByRole('button', { name: 'Use a wallet on your phone' }).waitFor();
    await page.getByText('Use a wallet that is not in this browser').click();
    await page.getByLabel('Chain').selectOption({ label: 'Solana' });
    await page.getByLabel('Address').fill(base58.encode(publicKey));
    await page.getByRole('button', { name: 'Show the message to sign' }).click();
    const message = (await page.locator('pre').textContent()) ?? '';
    await page.getByLabel('Signature').fill(base58.encode(ed25519.sign(Buffer.from(message), secretKey)));
    await page.getByRole('button', { name: 'Link this wallet' }).click();
    await status.filter({ hasText: 'is linked.' }).waitFor();
    assert.deepEqual(await linkedTo(userId), [base58.encode(publicKey)]);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('says what is wrong with an address, when the server is away, and when the link is over', async () => {
    const { page, url, slug, status } = await arrive({ watch: { expectsRefusals: true } });
    await page.goto(url);
    await page.getByText('Use a wallet that is not in this browser').click();
    await page.getByLabel('Address').fill('nonsense');
    await page.getByRole('button', { name: 'Show the message to sign' }).click();
    await status.filter({ hasText: /must be an address of evm:1/ }).waitFor();
    await page.route('**/wallet-manager/**', (route) => route.abort());
    await page.getByRole('button', { name: 'Show the message to sign' }).click();
    await status.filter({ hasText: 'The server could not be reached.' }).waitFor();
    await page.unroute('**/wallet-manager/**');
    const link = await openConnectLink(contextFor(running().server.services, { kind: 'anonymous' }), slug);
    await revokeAeToken(running().server.services, link?.token ?? '');
    await page.getByRole('button', { name: 'Show the message to sign' }).click();
    await status.filter({ hasText: 'This page has expired.' }).waitFor();
    await page.context().close();
  });

  test('is not there for a link that was never made', async () => {
    const { page, faults } = await openPage(running().browser, { expectsRefusals: true });
    const answer = await page.goto(`${running().server.url}/connect/V1StGXR8Z5jdHi6BmyTaa`);
    assert.equal(answer?.status(), 404);
    await page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('goes on in the browser of a wallet app, and comes back with a code', async () => {
    const { page, faults, url, userId, status } = await arrive();
    await page.goto(url);
    const link = await carryOver(page);
    const other = await openPage(running().browser);
    const wallet = await giveEvmWallet(other.page);
    await other.page.goto(link);
    await other.page.getByText(`Person ${userId}`).waitFor();
    await other.page.getByRole('button', { name: 'Test Fox' }).click();
    const code = await readCode(other.page);
    await page.getByLabel('Code from the other browser').fill(code === '000000' ? '000001' : '000000');
    await page.getByRole('button', { name: 'Link this wallet' }).click();
    await status.filter({ hasText: 'You have 4 tries left.' }).waitFor();
    assert.deepEqual(await linkedTo(userId), []);
    await page.getByLabel('Code from the other browser').fill(code);
    await page.getByRole('button', { name: 'Link this wallet' }).click();
    await page.getByRole('button', { name: `Unlink ${wallet.address}` }).waitFor();
    assert.deepEqual(await linkedTo(userId), [wallet.address]);
    assert.deepEqual(
      [...faults, ...other.faults].filter((fault) => !fault.includes('422')),
      [],
    );
    for (const opened of [page, other.page]) await opened.context().close();
  });

  test('offers the apps that publish a link on a phone, and no passkey inside of another app', async () => {
    const { page, faults, url, slug } = await arrive({
      watch: { viewport: { width: 390, height: 800 }, userAgent: 'Mozilla/5.0 (iPhone) Version/17 Mobile Safari' },
    });
    await page.goto(url);
    await page.getByRole('button', { name: 'Use a wallet app on this phone' }).click();
    const app = page.getByRole('link', { name: 'Open in MetaMask' });
    const href = (await app.getAttribute('href')) ?? '';
    assert.match(href, /^https:\/\/link\.metamask\.io\/dapp\/[^/]+\/handoff\/\w+$/);
    const ticket = href.split('/').at(-1) ?? '';
    for (const name of ['Coinbase Wallet', 'Rainbow', 'Trust Wallet', 'OKX Wallet', 'Phantom', 'Solflare']) {
      const link = (await page.getByRole('link', { name: `Open in ${name}` }).getAttribute('href')) ?? '';
      const carried = new URL(`${running().server.url}/handoff/${ticket}`).href;
      assert.ok(decodeURIComponent(decodeURIComponent(link)).includes(carried), `${name}: ${link}`);
      assert.ok(!link.includes(slug), 'the link that signs in stays here');
    }
    assert.deepEqual(faults, []);
    await page.context().close();
    const inside = await arrive({ watch: { userAgent: 'Mozilla/5.0 (Linux; Android 14; wv) MetaMaskMobile' } });
    await inside.page.goto(inside.url);
    await inside.page.getByText('Passkeys do not work in this browser.').waitFor();
    await inside.page.context().close();
  });
}
