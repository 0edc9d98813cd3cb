import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { createLinkChallenge } from '../../identity/wallets/index.ts';
import { alice, mallory, nobody, testSignature } from '../../testing/index.ts';
import { connectWallet } from './connect-wallet.ts';
import { connectionCodes, type WalletConnectionRequest, type WalletConnectionResponse } from './connection.ts';
import { disconnectWallet, getWalletConnections, resumeWalletConnection, venlyCallback } from './operations.ts';
import { openWalletPeople, refusedWith, type WalletPeople, wallet } from './testing.ts';

const safe = wallet(0x5afe);
const registry = '0x4678f0a6958e4D2Bc4F1BAF7Bc52E8F3564f3fE4';

describe('the wallet manager', () => {
  let people: WalletPeople;
  let t: WalletPeople['t'];
  before(async () => {
    people = await openWalletPeople('wallet-manager');
    t = people.t;
  });
  after(() => t.close());

  const tokenOf: WalletPeople['tokenOf'] = (...args) => people.tokenOf(...args);
  const put: WalletPeople['put'] = (...args) => people.put(...args);
  const connect: WalletPeople['connect'] = (...args) => people.connect(...args);
  const listed: WalletPeople['listed'] = (actor) => people.listed(actor);
  const holds: WalletPeople['holds'] = (...args) => people.holds(...args);

  it('refuses an unknown kind of wallet, wherever it is sent, and lists the known ones', async () => {
    const address = wallet(0x77);
    const unknown = { code: 'VALIDATION_FAILED', message: /^The body at \/walletType must be .*metamask, .*phantom/ };
    await assert.rejects(put(alice, { address, walletType: 'keplr' }), unknown);
    await assert.rejects(put(alice, { accountId: `evm:1:${address}`, walletType: 'meta mask 2' }), unknown);
    await assert.rejects(put(alice, { walletSk: address, communityId: '1', walletType: 'petra' }), unknown);
    const body = { id: await tokenOf(alice), selectedWallet: address, walletType: 'keplr' };
    await assert.rejects(venlyCallback(t.as(nobody), { body }), unknown);
    for (const walletType of ['MetaMask', 'wallet-connect', 'Coinbase Wallet', 'gnosis_safe', ''])
      assert.equal((await put(alice, { address, walletType })).code, 'SIGNATURE_REQUIRED', walletType);
  });

  it('requests a signature of a complete message, and connects the wallet that gives it', async () => {
    const address = wallet(1);
    const request = await put(alice, { address, chainId: 137, walletType: 'metamask', metadata: { isMain: true } });
    assert.deepEqual([request.success, request.code, request.address], [false, 'SIGNATURE_REQUIRED', address]);
    assert.match(
      request.message ?? '',
      /^latchkey\.test wants you to sign in with your Ethereum account:\n0x0{39}1\n\nLink this wallet to the account alice on Discord \(DIS#USER#100\)\. [^\n]+\n\nURI: http:\/\/latchkey\.test\nVersion: 1\nChain ID: 137\nNonce: [A-Za-z0-9]{24}\nIssued At: [^\n]+\nExpiration Time: [^\n]+$/,
    );
    const signature = testSignature(address, request.message ?? '');
    const body = { address, chainId: 137, walletType: 'metamask', metadata: { isMain: true }, signature };
    const connected = await put(alice, body);
    assert.deepEqual([connected.success, connected.code], [true, 'CONNECTED']);
    assert.deepEqual(connected.connection?.user?.userPk, 'DIS#USER#100');
    const [item] = (await listed(alice)).filter((each) => each.address === address);
    assert.deepEqual([item?.walletType, item?.metadata], ['metamask', { isMain: true }]);
    assert.equal((await connect(alice, { address })).code, 'ALREADY_CONNECTED');
  });

  it('returns a wallet as it was linked, on the chain that was named', async () => {
    const address = wallet(45);
    const accountId = `evm:31337:${address}`;
    const connected = await connect(alice, { accountId }, address);
    assert.equal(connected.connection?.accountId, accountId);
    const accountIds = async () =>
      (await listed(alice)).filter((item) => item.address === address).map((item) => item.accountId);
    assert.deepEqual(await accountIds(), [accountId]);
    const { state = '', message = '' } = await put(alice, { accountId: `eip155:10:${address}` });
    await put(alice, { state, signature: testSignature(address, message) });
    assert.deepEqual(await accountIds(), [`evm:10:${address}`], 'the newest proof determines it');
    await connect(alice, { address });
    assert.deepEqual(await accountIds(), [`evm:1:${address}`]);
    await disconnectWallet(t.as(alice), { walletSk: accountId });
    assert.deepEqual(await accountIds(), []);
  });

  it('accepts the message of GET /account/auth-message, with or without its text', async () => {
    const message = await createLinkChallenge(t.as(alice));
    const signed = (address: string, text: string) => ({ address, signature: testSignature(address, text) });
    assert.equal((await put(alice, { ...signed(wallet(2), message), message })).code, 'CONNECTED');
    const newest = await createLinkChallenge(t.as(alice));
    assert.equal((await put(alice, signed(wallet(3), newest))).code, 'CONNECTED');
  });

  it('verifies without storing when asked to', async () => {
    const address = wallet(4);
    assert.equal((await connect(alice, { address, verifyOnly: true })).code, 'VERIFIED');
    assert.equal(await holds(alice, address), false);
  });

  it('refuses a message of another user, account or chain, a wrong signature, and anything used before', async () => {
    const address = wallet(5);
    const ofMallory = await put(mallory, { address });
    const signature = testSignature(address, ofMallory.message ?? '');
    assert.equal(
      (await put(alice, { address, signature, message: ofMallory.message ?? '' })).code,
      'CHALLENGE_UNKNOWN',
    );
    assert.equal((await put(alice, { address, signature, state: ofMallory.state ?? '' })).code, 'CHALLENGE_UNKNOWN');

    const { message = '' } = await put(alice, { address });
    const other = { signature: testSignature(wallet(6), message), message };
    assert.equal((await put(alice, { address: wallet(6), ...other })).code, 'SIGNATURE_INVALID');
    const second = await put(alice, { address });
    const elsewhere = { address, chainId: 10, signature: testSignature(address, second.message ?? '') };
    assert.equal((await put(alice, { ...elsewhere, message: second.message ?? '' })).code, 'SIGNATURE_INVALID');
    assert.equal(
      (await put(alice, { ...elsewhere, chainId: 1, message: second.message ?? '' })).code,
      'CHALLENGE_UNKNOWN',
    );
    const third = await put(alice, { address });
    assert.equal((await put(alice, { address, signature: 'wrong' })).code, 'SIGNATURE_INVALID');
    const late = { address, signature: testSignature(address, third.message ?? ''), message: third.message ?? '' };
    assert.equal((await put(alice, late)).code, 'CHALLENGE_UNKNOWN');
    assert.equal(await holds(alice, address), false);
  });

  it('lets one of fifty parallel uses of a message through, and none after 15 minutes', async () => {
    const address = wallet(7);
    const { message = '' } = await put(alice, { address });
    const body = { id: await tokenOf(alice), address, message, signature: testSignature(address, message) };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => connectWallet(t.as(nobody), { body }) as Promise<WalletConnectionResponse>),
    );
    assert.equal(answers.filter((answer) => answer.success).length, 1);
    const old = await put(alice, { address: wallet(8) });
    t.advanceSeconds(15 * 60 + 1);
    const late = { address: wallet(8), signature: testSignature(wallet(8), old.message ?? '') };
    assert.equal((await put(alice, late)).code, 'CHALLENGE_UNKNOWN');
  });

  it('stores nothing when the chain is unavailable', async () => {
    await put(alice, { address: wallet(9) });
    await assert.rejects(put(alice, { address: wallet(9), signature: 'no answer' }), refusedWith('UNAVAILABLE'));
    assert.equal(await holds(alice, wallet(9)), false);
  });

  it('does nothing without a token, with a broken or limited one, or with those of two users', async () => {
    const body = { address: wallet(10) };
    await assert.rejects(connectWallet(t.as(nobody), { body }), refusedWith('AUTHENTICATION_REQUIRED'));
    await assert.rejects(
      connectWallet(t.as(nobody), { body: { ...body, id: 'x' } }),
      refusedWith('INVALID_CREDENTIAL'),
    );
    const narrow = await tokenOf(alice, ['user:read']);
    await assert.rejects(
      connectWallet(t.as(nobody), { body: { ...body, id: narrow } }),
      refusedWith('SCOPE_NOT_ALLOWED'),
    );
    const id = await tokenOf(alice);
    await assert.rejects(connectWallet(t.as(mallory), { body: { ...body, id } }), refusedWith('INVALID_CREDENTIAL'));
    const reader = { ...alice, scopes: ['user:read'] } as Actor;
    await assert.rejects(getWalletConnections(t.as(reader), {}), refusedWith('SCOPE_NOT_ALLOWED'));
  });

  it('refuses an invalid account, or two accounts in one request', async () => {
    const bodies: WalletConnectionRequest[] = [
      { address: '0x12' },
      { accountId: 'doge:1:x' },
      { accountId: 'evm:1:0x12' },
      { accountId: 'no account' },
      { address: wallet(11), chainId: 'nowhere' },
      { address: wallet(11), accountId: `evm:1:${wallet(12)}` },
      { address: wallet(11), proxyType: 'other' },
      { signature: '0x00' },
    ];
    for (const body of bodies)
      await assert.rejects(put(alice, body), refusedWith('VALIDATION_FAILED'), JSON.stringify(body));
  });

  it('lets an owner sign for a Safe, by a message that names that Safe and chain', async () => {
    const owner = wallet(20);
    t.holdings.set({ chain: 'evm:1', standard: 'safe', reference: safe, account: owner }, '1');
    const body = { address: safe, chainId: 1, proxyType: 'gnosis', gnosisSignerAddress: owner };
    const request = await put(alice, body);
    assert.match(request.message ?? '', new RegExp(`Resources:\n- did:pkh:eip155:1:${safe}$`));
    const connected = await connect(alice, body, owner);
    assert.deepEqual([connected.code, connected.address], ['CONNECTED', safe]);
    const [item] = (await listed(alice)).filter((each) => each.address === safe);
    assert.deepEqual(
      [item?.signerAddress, item?.contract, item?.accountId],
      [owner, `evm:1/gnosis/${safe}`, `evm:1:${safe}`],
    );
  });

  it('refuses a signature for another Safe or chain, or by a non-owner, and decides nothing while the chain is down', async () => {
    const owner = wallet(21);
    const [first, second] = [wallet(0x5afe1), wallet(0x5afe2)];
    for (const reference of [first, second])
      t.holdings.set({ chain: 'evm:1', standard: 'safe', reference, account: owner }, '1');
    const body = { chainId: 1, gnosisSignerAddress: owner };
    const { message = '' } = await put(alice, { ...body, address: first });
    const signature = testSignature(owner, message);
    assert.equal((await put(alice, { ...body, address: second, signature, message })).code, 'SIGNATURE_INVALID');
    const open = await createLinkChallenge(t.as(alice));
    const byOpen = { ...body, address: first, signature: testSignature(owner, open), message: open };
    assert.equal((await put(alice, byOpen)).code, 'SIGNATURE_INVALID');
    const stranger = { address: first, gnosisSignerAddress: wallet(22) };
    assert.equal((await connect(alice, stranger, wallet(22))).code, 'NOT_AN_OWNER');
    t.holdings.fail('evm:1', 'down');
    await assert.rejects(connect(alice, { ...body, address: first }, owner), refusedWith('UNAVAILABLE'));
    t.holdings.fail('evm:1', undefined);
    assert.equal(await holds(alice, first), false);
  });

  it('offers the proxies confirmed by both the known registry and the proxy, and stores the chosen one', async () => {
    const [owner, proxy] = [wallet(23), wallet(0xd5)];
    const call = { chain: 'evm:1', standard: 'call', account: owner };
    const body = { address: owner, proxyType: 'dsproxy' };
    assert.equal((await connect(alice, body)).code, 'NO_PROXY');
    t.holdings.set({ ...call, reference: registry }, String(0xd5));
    t.holdings.set({ ...call, reference: proxy }, String(0xbad));
    assert.equal((await connect(alice, body)).code, 'NO_PROXY');
    t.holdings.set({ ...call, reference: proxy }, String(23));
    const forged = { ...body, proxyRegistry: wallet(0xbad) };
    await assert.rejects(connect(alice, forged), refusedWith('VALIDATION_FAILED'));
    const offered = await connect(alice, body);
    assert.deepEqual([offered.code, offered.proxies?.[0]?.proxyAddresses], ['PROXY_REQUIRED', [proxy]]);
    const resume = (more: object) =>
      resumeWalletConnection(t.as(nobody), { body: { state: offered.state ?? '', ...more } });
    assert.equal((await resume({})).code, 'PROXY_REQUIRED');
    await assert.rejects(resume({ proxyAddress: safe }), refusedWith('VALIDATION_FAILED'));
    const both = await Promise.allSettled([resume({ proxyAddress: proxy }), resume({ proxyAddress: proxy })]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.ok((await holds(alice, proxy)) && !(await holds(alice, owner)));
  });

  it('shows the message of a state again, and signs in by the state alone', async () => {
    const address = wallet(30);
    const request = await put(alice, { walletAddress: address });
    const resumed = await resumeWalletConnection(t.as(nobody), { body: { state: request.state ?? '' } });
    assert.deepEqual([resumed.message, resumed.address], [request.message, address]);
    const signature = testSignature(address, request.message ?? '');
    assert.equal((await put(mallory, { signInState: request.state ?? '', signature })).code, 'CHALLENGE_UNKNOWN');
    assert.equal((await put(alice, { signInState: request.state ?? '', signature })).code, 'CONNECTED');
    assert.equal((await listed(alice)).find((item) => item.address === address)?.walletType, 'opensea');
    const gone = { body: { state: request.state ?? '' } };
    await assert.rejects(resumeWalletConnection(t.as(nobody), gone), refusedWith('ENTITY_NOT_FOUND'));
    await assert.rejects(resumeWalletConnection(t.as(nobody), { body: {} }), refusedWith('VALIDATION_FAILED'));
  });

  it('uses every documented code, with the same wording', () => {
    const text = readFileSync(new URL('../../../../../docs/wallets.md', import.meta.url), 'utf8');
    const listed = [...text.matchAll(/^\| `([A-Z_]+)` \| (.+) \|$/gm)].map(([, code, meaning]) => [code, meaning]);
    assert.deepEqual(listed, Object.entries(connectionCodes));
  });

  it('disconnects by sk, address or account id, for its own user only', async () => {
    const id = await tokenOf(alice);
    for (const walletSk of [
      `WALLET#${wallet(44)}`,
      wallet(44).toUpperCase().replace('0X', '0x'),
      `evm:1:${wallet(44)}`,
    ]) {
      await connect(alice, { address: wallet(44) });
      const byMallory = { walletSk, id: await tokenOf(mallory) };
      await assert.rejects(disconnectWallet(t.as(nobody), byMallory), refusedWith('ENTITY_NOT_FOUND'));
      await disconnectWallet(t.as(nobody), { walletSk, id });
      assert.equal(await holds(alice, wallet(44)), false);
    }
    await assert.rejects(
      disconnectWallet(t.as(nobody), { walletSk: wallet(44) }),
      refusedWith('AUTHENTICATION_REQUIRED'),
    );
  });
});
