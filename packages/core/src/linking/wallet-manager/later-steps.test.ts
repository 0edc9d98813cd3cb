import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createState } from '../../identity/states/index.ts';
import { alice, mallory, nobody, testSignature } from '../../testing/index.ts';
import { connectWallet } from './connect-wallet.ts';
import type { WalletConnectionRequest, WalletConnectionResponse } from './connection.ts';
import {
  connectMarketplaceWallet,
  disconnectWallet,
  generateMagicCode,
  resetWallets,
  venlyCallback,
} from './operations.ts';
import { openWalletPeople, refusedWith, type WalletPeople, wallet } from './testing.ts';

describe('moving wallets, marketplaces and stored data', () => {
  let people: WalletPeople;
  let t: WalletPeople['t'];
  before(async () => {
    people = await openWalletPeople('moving');
    t = people.t;
  });
  after(() => t.close());

  const tokenOf: WalletPeople['tokenOf'] = (...args) => people.tokenOf(...args);
  const put: WalletPeople['put'] = (...args) => people.put(...args);
  const connect: WalletPeople['connect'] = (...args) => people.connect(...args);
  const listed: WalletPeople['listed'] = (actor) => people.listed(actor);
  const holds: WalletPeople['holds'] = (...args) => people.holds(...args);

  it('moves a wallet to the account that has just proven it, once, and re-checks the roles of both', async () => {
    const address = wallet(40);
    await t.services.db.system
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
        created_at: t.services.clock(),
        updated_at: t.services.clock(),
      } as never)
      .execute();
    for (const user_id of ['DIS#USER#100', 'DIS#USER#666'])
      await t.services.db.system
        .insertInto('community_members')
        .values({ community_id: 'DIS#COMM#40', user_id, role_ids: [], seen_at: t.services.clock() } as never)
        .execute();
    await connect(mallory, { address });
    const taken = await connect(alice, { address });
    assert.deepEqual([taken.success, taken.code], [false, 'WALLET_TAKEN']);
    assert.equal(JSON.stringify(taken).includes('666'), false);
    await t.services.db.system.deleteFrom('reconcile_queue').execute();
    const resetToken = taken.resetToken ?? '';
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => resetWallets(t.as(nobody), { resetToken })),
    );
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1);
    assert.ok((await holds(alice, address)) && !(await holds(mallory, address)));
    const affected = await t.services.db.system.selectFrom('reconcile_queue').select('user_id').execute();
    assert.deepEqual(affected.map((row) => row.user_id).sort(), ['DIS#USER#100', 'DIS#USER#666']);
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
    const requested = (await attach({ walletSk: `evm:1:${fresh}` })) as WalletConnectionResponse;
    assert.match(requested.message ?? '', /\n- http:\/\/latchkey\.test\/communities\/DIS%23COMM%2340$/);
    const plain = await put(alice, { address: fresh });
    const forCommunity = testSignature(fresh, requested.message ?? '');
    const swapped = { address: fresh, signature: forCommunity, message: plain.message ?? '' };
    assert.equal((await put(alice, swapped)).code, 'SIGNATURE_INVALID');
    const state = requested.state ?? '';
    assert.equal((await put(alice, { state, signature: forCommunity })).code, 'CONNECTED');
    const item = (await listed(alice)).find((each) => each.address === fresh);
    assert.equal(item?.communityPk, 'DIS#COMM#40');
    await disconnectWallet(t.as(nobody), { walletSk: item?.sk ?? '', id });
    assert.equal(await holds(alice, fresh), false);
  });

  it('records a wallet chosen at Venly without trusting it, until that wallet signs', async () => {
    const address = wallet(50);
    const { state = '' } = await put(alice, { walletType: 'venly' });
    const body = { state, selectedWallet: address, network: 'polygon' };
    const requested = await venlyCallback(t.as(nobody), { body });
    assert.deepEqual([requested.success, requested.code, requested.address], [false, 'SIGNATURE_REQUIRED', address]);
    assert.equal(await holds(alice, address), false);
    const signature = JSON.stringify({
      type: 'HEX_SIGNATURE',
      signature: testSignature(address, requested.message ?? ''),
    });
    assert.equal((await put(alice, { state: requested.state ?? '', signature })).code, 'CONNECTED');
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
    people.profile = { kind: 'unknown', reason: 'OpenSea is down.' };
    await assert.rejects(request(), refusedWith('UNAVAILABLE'));
    people.profile = { kind: 'read', text: 'collector' };
    assert.equal((await request()).code, 'CODE_NOT_FOUND');
    people.profile = { kind: 'read', text: `collector ${magicCode} since 2021` };
    assert.equal((await request({ id: await tokenOf(mallory) })).code, 'CHALLENGE_UNKNOWN');
    assert.equal((await request({ account: wallet(61) })).code, 'CHALLENGE_UNKNOWN');
    const answers = await Promise.all(Array.from({ length: 50 }, () => request()));
    assert.deepEqual(
      answers.map(({ code }) => code).filter((code) => code !== 'CHALLENGE_UNKNOWN'),
      ['CONNECTED'],
    );
    assert.ok(await holds(alice, account));
    await assert.rejects(request({ marketplace: 'elsewhere' }), refusedWith('VALIDATION_FAILED'));
    await assert.rejects(request({ magicCode: undefined }), refusedWith('VALIDATION_FAILED'));
    const { message = '' } = await put(alice, { address: wallet(62) });
    const proof = testSignature(wallet(62), message);
    assert.equal((await request({ account: wallet(62), proof, id: await tokenOf(alice) })).code, 'CONNECTED');
  });

  it('stores no state, code or token where a reader of the database or the log would find it', async () => {
    const secrets: string[] = [];
    const requested = await put(alice, { address: wallet(70) });
    const code = await generateMagicCode(t.as(nobody), {
      body: { marketplace: 'opensea', account: wallet(71), id: await tokenOf(alice) },
    });
    await connect(mallory, { address: wallet(72) });
    const taken = await connect(alice, { address: wallet(72) });
    secrets.push(requested.state ?? '', code.magicCode ?? '', taken.resetToken ?? '');
    const rows = await Promise.all([
      t.services.db.system.selectFrom('wallet_pending_steps').selectAll().execute(),
      t.services.db.system.selectFrom('wallet_link_challenges').selectAll().execute(),
    ]);
    const stored = JSON.stringify(rows) + t.log.lines.join('\n');
    for (const secret of secrets) assert.ok(secret !== '' && !stored.includes(secret));
  });
});
