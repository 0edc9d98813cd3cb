import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Actor, principalId } from '@latchkey/kernel';
import { eraseAccount } from '../account/index.ts';
import { issueAeToken } from '../credentials/index.ts';
import type { ProfileAnswer } from '../ports/index.ts';
import { ensureSigningKeys } from '../signing-keys/index.ts';
import { createState } from '../states/index.ts';
import { alice, mallory, nobody, type TestPlatform, testPlatform, testSignature } from '../testing/index.ts';
import { createLinkChallenge } from '../wallets/index.ts';
import { connectMarketplaceWallet } from './connect-marketplace-wallet.ts';
import { connectWallet } from './connect-wallet.ts';
import type { WalletConnectionRequest, WalletConnectionResponse } from './connection.ts';
import { disconnectWallet } from './disconnect.ts';
import { generateMagicCode } from './generate-magic-code.ts';
import { getWalletConnections } from './list.ts';
import { resetWallets } from './reset-wallets.ts';
import { resumeWalletConnection } from './resume.ts';
import { venlyCallback } from './venly-callback.ts';

const wallet = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;
const refusedWith = (code: string) => (error: unknown) => (error as { code?: string }).code === code;
const safe = wallet(0x5afe);
const registry = '0x4678f0a6958e4D2Bc4F1BAF7Bc52E8F3564f3fE4';

describe('the wallet manager', () => {
  let t: TestPlatform;
  let profile: ProfileAnswer = { kind: 'none' };
  before(async () => {
    t = await testPlatform('wallet-manager');
    await ensureSigningKeys(t.platform);
    Object.assign(t.platform, { marketplaces: { opensea: { readProfile: async () => profile } } });
  });
  after(() => t.close());

  const tokenOf = (actor: Actor, scopes: readonly string[] = ['user:wallet:write', 'user:wallet:read']) =>
    issueAeToken(t.platform, {
      userId: principalId(actor),
      platform: actor.kind === 'user' ? actor.platform : '',
      ...(actor.kind === 'user' && actor.name !== undefined && { name: actor.name }),
      scopes,
      ttlSeconds: 600,
    });
  const put = async (actor: Actor, body: WalletConnectionRequest): Promise<WalletConnectionResponse> =>
    connectWallet(t.as(nobody), { body: { id: await tokenOf(actor), ...body } }) as Promise<WalletConnectionResponse>;
  /** Asks for a message and signs it, as `signer`. */
  const connect = async (actor: Actor, body: WalletConnectionRequest, signer = body.address ?? '') => {
    const { message = '' } = await put(actor, body);
    return put(actor, { ...body, signature: testSignature(signer, message) });
  };
  const listed = async (actor: Actor) => (await getWalletConnections(t.as(actor), { limit: 100 })).items;
  const holds = async (actor: Actor, address: string) => (await listed(actor)).some((item) => item.address === address);
  const codesOf = (answers: { code?: string }[]) => answers.map((answer) => answer.code);

  it('asks for a signature of a message that names everything, and connects the wallet that gives it', async () => {
    const address = wallet(1);
    const asked = await put(alice, { address, chainId: 137, walletType: 'metamask', metadata: { isMain: true } });
    assert.deepEqual([asked.success, asked.code, asked.address], [false, 'SIGNATURE_REQUIRED', address]);
    assert.match(
      asked.message ?? '',
      /^latchkey\.test wants you to sign in with your Ethereum account:\n0x0{39}1\n\nLink this wallet to the account DIS#USER#100\. [^\n]+\n\nURI: http:\/\/latchkey\.test\nVersion: 1\nChain ID: 137\nNonce: [A-Za-z0-9]{24}\nIssued At: [^\n]+\nExpiration Time: [^\n]+$/,
    );
    const signature = testSignature(address, asked.message ?? '');
    const body = { address, chainId: 137, walletType: 'metamask', metadata: { isMain: true }, signature };
    const connected = await put(alice, body);
    assert.deepEqual([connected.success, connected.code], [true, 'CONNECTED']);
    assert.deepEqual(connected.connection?.user?.userPk, 'DIS#USER#100');
    const [item] = (await listed(alice)).filter((each) => each.address === address);
    assert.deepEqual([item?.walletType, item?.metadata], ['metamask', { isMain: true }]);
    assert.equal((await connect(alice, { address })).code, 'ALREADY_CONNECTED');
  });

  it('takes the message of GET /account/auth-message, with or without its text', async () => {
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

  it('refuses a message of another user, account or chain, a wrong signature, and whatever was used before', async () => {
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

  it('stores nothing when the chain cannot be asked', async () => {
    await put(alice, { address: wallet(9) });
    await assert.rejects(put(alice, { address: wallet(9), signature: 'no answer' }), refusedWith('UNAVAILABLE'));
    assert.equal(await holds(alice, wallet(9)), false);
  });

  it('does nothing without a token, with a broken one, with one that may not, or with those of two users', async () => {
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

  it('refuses what is no account of a chain, or two accounts in one request', async () => {
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
    const asked = await put(alice, body);
    assert.match(asked.message ?? '', new RegExp(`Resources:\n- did:pkh:eip155:1:${safe}$`));
    const connected = await connect(alice, body, owner);
    assert.deepEqual([connected.code, connected.address], ['CONNECTED', safe]);
    const [item] = (await listed(alice)).filter((each) => each.address === safe);
    assert.deepEqual(
      [item?.signerAddress, item?.contract, item?.accountId],
      [owner, `evm:1/gnosis/${safe}`, `evm:1:${safe}`],
    );
  });

  it('refuses a signature for another Safe, chain or by no owner, and decides nothing while the chain is down', async () => {
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

  it('offers the proxies that the known registry and the proxy itself name, and keeps the one that is chosen', async () => {
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
    const asked = await put(alice, { walletAddress: address });
    const resumed = await resumeWalletConnection(t.as(nobody), { body: { state: asked.state ?? '' } });
    assert.deepEqual([resumed.message, resumed.address], [asked.message, address]);
    const signature = testSignature(address, asked.message ?? '');
    assert.equal((await put(mallory, { signInState: asked.state ?? '', signature })).code, 'CHALLENGE_UNKNOWN');
    assert.equal((await put(alice, { signInState: asked.state ?? '', signature })).code, 'CONNECTED');
    assert.equal((await listed(alice)).find((item) => item.address === address)?.walletType, 'opensea');
    const gone = { body: { state: asked.state ?? '' } };
    await assert.rejects(resumeWalletConnection(t.as(nobody), gone), refusedWith('ENTITY_NOT_FOUND'));
    await assert.rejects(resumeWalletConnection(t.as(nobody), { body: {} }), refusedWith('VALIDATION_FAILED'));
  });

  it('moves a wallet to the account that has just proven it, once, and has the roles of both looked at', async () => {
    const address = wallet(40);
    await t.platform.db.system
      .insertInto('communities')
      .values({
        id: 'DIS#COMM#40',
        platform: 'discord',
        community_id: '40',
        name: 'forty',
        status: 'active',
        owner_id: 'DIS#USER#1',
        profile: {},
        disable_background_checks: false,
        created_at: t.platform.clock(),
        updated_at: t.platform.clock(),
      } as never)
      .execute();
    for (const user_id of ['DIS#USER#100', 'DIS#USER#666'])
      await t.platform.db.system
        .insertInto('community_members')
        .values({ community_id: 'DIS#COMM#40', user_id, role_ids: [], seen_at: t.platform.clock() } as never)
        .execute();
    await connect(mallory, { address });
    const taken = await connect(alice, { address });
    assert.deepEqual([taken.success, taken.code], [false, 'WALLET_TAKEN']);
    assert.equal(JSON.stringify(taken).includes('666'), false);
    await t.platform.db.system.deleteFrom('role_touches').execute();
    const resetToken = taken.resetToken ?? '';
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => resetWallets(t.as(nobody), { resetToken })),
    );
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1);
    assert.ok((await holds(alice, address)) && !(await holds(mallory, address)));
    const touched = await t.platform.db.system.selectFrom('role_touches').select('user_id').execute();
    assert.deepEqual(touched.map((row) => row.user_id).sort(), ['DIS#USER#100', 'DIS#USER#666']);
    const old = await connect(mallory, { address });
    t.advanceSeconds(15 * 60 + 1);
    await assert.rejects(
      resetWallets(t.as(nobody), { resetToken: old.resetToken ?? '' }),
      refusedWith('ENTITY_NOT_FOUND'),
    );
  });

  it('connects a linked wallet for a community, and asks an unlinked one to sign for that community alone', async () => {
    const address = wallet(41);
    await connect(alice, { address });
    const id = await tokenOf(alice);
    const attach = (body: WalletConnectionRequest) =>
      connectWallet(t.as(nobody), { body: { id, communityId: '40', platform: 'discord', ...body } });
    const attached = await attach({ walletSk: `WALLET#${address}` });
    assert.deepEqual(
      { sk: 'sk' in attached && attached.sk, pk: 'communityPk' in attached && attached.communityPk },
      { sk: `WALLET#DIS#COMM#40#${address}`, pk: 'DIS#COMM#40' },
    );
    await assert.rejects(attach({ walletSk: `WALLET#${wallet(42)}` }), refusedWith('ENTITY_NOT_FOUND'));
    await assert.rejects(attach({ walletSk: `WALLET#${address}`, communityId: '41' }), refusedWith('ENTITY_NOT_FOUND'));
    const fresh = wallet(43);
    const asked = (await attach({ walletSk: `evm:1:${fresh}` })) as WalletConnectionResponse;
    assert.match(asked.message ?? '', /\n- http:\/\/latchkey\.test\/communities\/DIS%23COMM%2340$/);
    const plain = await put(alice, { address: fresh });
    const forCommunity = testSignature(fresh, asked.message ?? '');
    const swapped = { address: fresh, signature: forCommunity, message: plain.message ?? '' };
    assert.equal((await put(alice, swapped)).code, 'SIGNATURE_INVALID');
    const state = asked.state ?? '';
    assert.equal((await put(alice, { state, signature: forCommunity })).code, 'CONNECTED');
    const item = (await listed(alice)).find((each) => each.address === fresh);
    assert.equal(item?.communityPk, 'DIS#COMM#40');
    await disconnectWallet(t.as(nobody), { walletSk: item?.sk ?? '', id });
    assert.equal(await holds(alice, fresh), false);
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

  it('takes note of a wallet chosen at Venly without believing it, until that wallet signs', async () => {
    const address = wallet(50);
    const { state = '' } = await put(alice, { walletType: 'venly' });
    const body = { state, selectedWallet: address, network: 'polygon' };
    const asked = await venlyCallback(t.as(nobody), { body });
    assert.deepEqual([asked.success, asked.code, asked.address], [false, 'SIGNATURE_REQUIRED', address]);
    assert.equal(await holds(alice, address), false);
    const signature = JSON.stringify({ type: 'HEX_SIGNATURE', signature: testSignature(address, asked.message ?? '') });
    assert.equal((await put(alice, { state: asked.state ?? '', signature })).code, 'CONNECTED');
    assert.equal((await listed(alice)).find((item) => item.address === address)?.walletType, 'venly');
    const { slug } = await createState(t.as(alice), { body: { token: await tokenOf(alice) } });
    assert.equal((await venlyCallback(t.as(nobody), { body: { ...body, state: slug } })).code, 'SIGNATURE_REQUIRED');
    await assert.rejects(
      venlyCallback(t.as(nobody), { body: { ...body, state: 'x' } }),
      refusedWith('ENTITY_NOT_FOUND'),
    );
    await assert.rejects(venlyCallback(t.as(nobody), { body: {} }), refusedWith('AUTHENTICATION_REQUIRED'));
  });

  it('connects the account whose marketplace profile shows the code, once', async () => {
    const account = wallet(60);
    const { magicCode = '' } = await generateMagicCode(t.as(nobody), {
      body: { marketplace: 'opensea', account, id: await tokenOf(alice) },
    });
    const request = (more: object = {}) =>
      connectMarketplaceWallet(t.as(nobody), { body: { marketplace: 'opensea', account, magicCode, ...more } });
    profile = { kind: 'unknown', reason: 'OpenSea is down.' };
    await assert.rejects(request(), refusedWith('UNAVAILABLE'));
    profile = { kind: 'read', text: 'collector' };
    assert.equal((await request()).code, 'CODE_NOT_FOUND');
    profile = { kind: 'read', text: `collector ${magicCode} since 2021` };
    assert.equal((await request({ id: await tokenOf(mallory) })).code, 'CHALLENGE_UNKNOWN');
    assert.equal((await request({ account: wallet(61) })).code, 'CHALLENGE_UNKNOWN');
    const answers = await Promise.all(Array.from({ length: 50 }, () => request()));
    assert.deepEqual(
      codesOf(answers).filter((code) => code !== 'CHALLENGE_UNKNOWN'),
      ['CONNECTED'],
    );
    assert.ok(await holds(alice, account));
    await assert.rejects(request({ marketplace: 'elsewhere' }), refusedWith('VALIDATION_FAILED'));
    await assert.rejects(request({ magicCode: undefined }), refusedWith('VALIDATION_FAILED'));
    const { message = '' } = await put(alice, { address: wallet(62) });
    const proof = testSignature(wallet(62), message);
    assert.equal((await request({ account: wallet(62), proof, id: await tokenOf(alice) })).code, 'CONNECTED');
  });

  it('keeps no state, code or token where a reader of the database or the log would find it', async () => {
    const secrets: string[] = [];
    const asked = await put(alice, { address: wallet(70) });
    const code = await generateMagicCode(t.as(nobody), {
      body: { marketplace: 'opensea', account: wallet(71), id: await tokenOf(alice) },
    });
    await connect(mallory, { address: wallet(72) });
    const taken = await connect(alice, { address: wallet(72) });
    secrets.push(asked.state ?? '', code.magicCode ?? '', taken.resetToken ?? '');
    const rows = await Promise.all([
      t.platform.db.system.selectFrom('wallet_pending_steps').selectAll().execute(),
      t.platform.db.system.selectFrom('wallet_link_challenges').selectAll().execute(),
    ]);
    const stored = JSON.stringify(rows) + t.log.lines.join('\n');
    for (const secret of secrets) assert.ok(secret !== '' && !stored.includes(secret));
  });

  it('forgets an account: no table of wallets or states names it any more', async () => {
    const user = {
      kind: 'user',
      userId: 'DIS#USER#4711',
      platform: 'discord',
      name: 'gone-soon',
      scopes: ['$all'],
    } as Actor;
    await connect(user, { address: wallet(0x4711) });
    await put(user, { address: wallet(0x4712) });
    await generateMagicCode(t.as(nobody), {
      body: { marketplace: 'opensea', account: wallet(73), id: await tokenOf(user) },
    });
    await createState(t.as(user), { body: { token: 'x' } });
    await eraseAccount(t.platform, 'DIS#USER#4711');
    const tables = ['wallet_connections', 'wallet_link_challenges', 'wallet_pending_steps', 'slugs'] as const;
    for (const table of tables) {
      const dump = JSON.stringify(await t.platform.db.system.selectFrom(table).selectAll().execute());
      assert.ok(!/4711|gone-soon/.test(dump), table);
    }
  });
});
