import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AppError } from '@latchkey/kernel';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { newUser } from '../../communities/community/testing.ts';
import { createSlug } from '../../identity/states/index.ts';
import { redirectSlug } from '../../identity/states/operations.ts';
import type { NameAnswer } from '../../ports/index.ts';
import { ensureSigningKeys, listPublicKeys, publicJwk, rotateKey } from '../../services/signing-keys/index.ts';
import { nobody, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { claimTtlSeconds } from './claim-token.ts';
import { generateAssetVerification, getAssets, getOwnership, verifyOwnership } from './operations.ts';

const coin = `0x${'1'.repeat(40)}`;
const cats = `0x${'2'.repeat(40)}`;
let accounts = 0;
const newAccount = () => `0x${(++accounts).toString(16).padStart(40, 'c')}`;
const coinAsset = `evm:1/ERC20:${coin}`;
const catsAsset = `evm:1/ERC721:${cats}`;

describe('assets', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('assets');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  const setUp = () => {
    const account = newAccount();
    t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference: coin, account }, '2.5');
    t.holdings.give({ chain: 'evm:1', standard: 'erc721', reference: cats, account }, [
      { id: '7', amount: '1', uri: 'ipfs://7', metadata: { name: 'Tom' } },
      { id: '8', amount: '1' },
    ]);
    return account;
  };

  test('balances are exact, and collections come with their tokens', async () => {
    const account = setUp();
    assert.deepEqual(await getAssets(t.services, { account, assets: [coinAsset, `${catsAsset}/7`] }), [
      { asset: coinAsset, balance: '2.5' },
      {
        asset: `${catsAsset}/7`,
        balance: '1',
        tokens: [{ id: '7', balance: '1', uri: 'ipfs://7', metadata: { name: 'Tom' } }],
      },
    ]);
  });

  test('without assets, the chain’s native coin is checked', async () => {
    const account = setUp();
    t.holdings.set({ chain: 'evm:137', standard: 'native', reference: 'currency', account }, '0.5');
    t.holdings.set({ chain: 'near:mainnet', standard: 'native', reference: 'currency', account: 'a.near' }, '3');
    assert.deepEqual(await getAssets(t.services, { account: `evm:137:${account}` }), [
      { asset: 'evm:137/native:currency', balance: '0.5' },
    ]);
    assert.deepEqual(await getAssets(t.services, { account: 'near:mainnet:a.near' }), [
      { asset: 'near:mainnet/native:currency', balance: '3' },
    ]);
    await assert.rejects(getAssets(t.services, { account: 'a.near' }), { code: 'INVALID_PARAMETER_VALUE' });
  });

  test('any amount is ownership, but not on a chain the account does not belong to', async () => {
    const account = setUp();
    t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference: coin, account }, '0.000000000000000001');
    const assets = [coinAsset, `${catsAsset}/8`, `${catsAsset}/9`, 'near:mainnet/NEP141:x.near'];
    const { assets: owned } = await getOwnership(t.services, { account, assets });
    assert.deepEqual(
      owned.map(({ owner }) => owner),
      [true, true, false, false],
    );
  });

  test('unreadable holdings are neither owned nor not owned', async () => {
    const account = newAccount();
    t.holdings.fail('evm:10', 'The node is down.');
    const assets = [`evm:10/ERC20:${coin}`];
    assert.deepEqual(await getAssets(t.services, { account, assets }), [{ asset: assets[0] }]);
    assert.deepEqual(await getOwnership(t.services, { account, assets }), { assets: [{ asset: assets[0] }] });
  });

  test('invalid names are refused', async () => {
    const account = newAccount();
    for (const asset of ['', 'cats', 'evm:1/ERC20:0x12', 'evm:1/NOPE:x', `evm:1/ERC1155:${coin}`]) {
      await assert.rejects(
        getAssets(t.services, { account, assets: [asset] }),
        { code: 'INVALID_PARAMETER_VALUE' },
        asset,
      );
    }
    await assert.rejects(getOwnership(t.services, { account, assets: Array.from({ length: 51 }, () => coinAsset) }), {
      code: 'INVALID_PARAMETER_VALUE',
    });
  });

  test('an unreadable account neither owns nor lacks anything', async () => {
    for (const account of ['foo', '0x123', 'evm:1:0x12', 'vitalik.eth', 'nowhere:1:x'])
      for (const assets of [[coinAsset], undefined])
        for (const ask of [getAssets, getOwnership])
          await assert.rejects(
            ask(t.services, { account, ...(assets && { assets }) }),
            { code: 'INVALID_PARAMETER_VALUE' },
            account,
          );
    const names = {
      namespace: 'evm',
      resolve: async (): Promise<NameAnswer> => ({ kind: 'unknown', reason: 'The names cannot be asked.' }),
    };
    const request = { account: 'vitalik.eth', assets: [coinAsset] };
    assert.deepEqual(await getOwnership({ ...t.services, names }, request), { assets: [{ asset: coinAsset }] });
    assert.deepEqual(await getAssets({ ...t.services, names }, request), [{ asset: coinAsset }]);
  });
});

describe('claims to own assets', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('asset-claims');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  const claimant = async () => {
    const user = newUser();
    const account = newAccount();
    await t.services.db.system
      .insertInto('wallet_connections')
      .values({
        id: t.services.random.id(),
        user_id: user.userId,
        platform: 'discord',
        user_name: null,
        namespace: 'evm',
        address: account,
        created_at: t.services.clock(),
      })
      .execute();
    t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference: coin, account }, '1');
    return { user, account, ctx: t.as(user) };
  };
  const body = { assets: [coinAsset, catsAsset], socialId: '@alice' };

  test('the short link leads to a check of what is owned now', async () => {
    const { user, account, ctx } = await claimant();
    for (const format of ['jwt', 'ae'] as const) {
      const { token, slug } = await generateAssetVerification(ctx, { format, body });
      const { location } = await redirectSlug(t.as(nobody), { slug });
      assert.equal(location, `${t.services.settings.baseUrl}/asset-verification/${token}`);
      const { assets, claim } = await verifyOwnership(t.as(nobody), { token });
      assert.deepEqual((await verifyOwnership(t.as(nobody), { token: slug })).claim, claim);
      assert.deepEqual(assets, [
        { asset: coinAsset, owner: true },
        { asset: catsAsset, owner: false },
      ]);
      assert.equal(claim?.account, `evm:1:${account}`);
      assert.equal(claim?.userId, user.userId);
      assert.equal(claim?.socialId, '@alice');
    }
    t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference: coin, account }, '0');
    t.advanceSeconds(16);
    const { token } = await generateAssetVerification(ctx, { body });
    assert.equal((await verifyOwnership(t.as(nobody), { token })).assets?.[0]?.owner, false);
  });

  test('the response is signed with a published key', async () => {
    const { ctx } = await claimant();
    const { token } = await generateAssetVerification(ctx, { body });
    const { signature = '', assets } = await verifyOwnership(t.as(nobody), { token });
    const keys = await Promise.all(
      (await listPublicKeys(t.services, 'jwt')).map(async ({ kid, publicKey }) => ({
        ...(await publicJwk(publicKey)),
        kid,
      })),
    );
    const { payload } = await jwtVerify(signature, createLocalJWKSet({ keys }), { currentDate: t.services.clock() });
    assert.deepEqual(payload.assets, assets);
  });

  test('a claim names the chain that its wallet was linked on, or the requested one', async () => {
    const { user, account, ctx } = await claimant();
    const accountOf = async (named?: string) => {
      const { token } = await generateAssetVerification(ctx, {
        body: { ...body, ...(named !== undefined && { account: named }) },
      });
      return (await verifyOwnership(t.as(nobody), { token })).claim?.account;
    };
    assert.equal(await accountOf(`evm:31337:${account}`), `evm:31337:${account}`);
    assert.equal(await accountOf(`eip155:137:${account}`), `evm:137:${account}`);
    assert.equal(await accountOf(account), `evm:1:${account}`);
    await t.services.db.system
      .updateTable('wallet_connections')
      .set({ linked_chain: '31337' })
      .where('user_id', '=', user.userId)
      .execute();
    for (const named of [undefined, account, `evm:31337:${account}`])
      assert.equal(await accountOf(named), `evm:31337:${account}`);
  });

  test('a contract wallet claims on its own chain, and nothing that the same address holds elsewhere', async () => {
    const { user, account, ctx } = await claimant();
    await t.services.db.system
      .updateTable('wallet_connections')
      .set({ contract_chain: '137' })
      .where('user_id', '=', user.userId)
      .execute();
    const refusal = { code: 'VALIDATION_FAILED', message: /which you linked as evm:137:/ };
    await assert.rejects(generateAssetVerification(ctx, { body: { ...body, account: `evm:1:${account}` } }), refusal);
    t.holdings.set({ chain: 'evm:137', standard: 'erc20', reference: coin, account }, '1');
    const assets = [coinAsset, `evm:137/ERC20:${coin}`];
    const { token } = await generateAssetVerification(ctx, { body: { assets } });
    const { claim, assets: owned } = await verifyOwnership(t.as(nobody), { token });
    assert.equal(claim?.account, `evm:137:${account}`);
    assert.deepEqual(
      owned?.map(({ owner }) => owner),
      [false, true],
    );
  });

  test('a readable claim can be read, and an encrypted one cannot', async () => {
    const { user, ctx } = await claimant();
    const { token } = await generateAssetVerification(ctx, { format: 'jwt', body });
    assert.equal(decodeJwt(token).sub, user.userId);
    const { token: sealed } = await generateAssetVerification(ctx, { format: 'ae', body });
    assert.equal(sealed.split('.').length, 5);
    assert.ok(!Buffer.from(sealed, 'base64url').toString('latin1').includes(user.userId));
  });

  test('a claim for another user’s wallet, or in another user’s name, is refused', async () => {
    const { account } = await claimant();
    const { user, ctx } = await claimant();
    await assert.rejects(
      generateAssetVerification(ctx, { body: { ...body, account } }),
      /not one of your linked wallets/,
    );
    const { token } = await generateAssetVerification(ctx, { body: { ...body, userId: 'DIS#USER#1' } });
    assert.equal((await verifyOwnership(t.as(nobody), { token })).claim?.userId, user.userId);
    await assert.rejects(generateAssetVerification(t.as(newUser()), { body }), /Link a wallet first/);
    await assert.rejects(generateAssetVerification(t.as(operator), { body }), /Link a wallet first/);
  });

  test('a claim ends with its time and with the link to its wallet', async () => {
    const { user, ctx } = await claimant();
    const { token } = await generateAssetVerification(ctx, { body });
    await t.services.db.system.deleteFrom('wallet_connections').where('user_id', '=', user.userId).execute();
    await assert.rejects(verifyOwnership(t.as(nobody), { token }), { code: 'ENTITY_NOT_FOUND' });
    const other = await claimant();
    const { token: old, slug } = await generateAssetVerification(other.ctx, { body });
    t.advanceSeconds(claimTtlSeconds + 1);
    for (const token of [old, slug])
      await assert.rejects(verifyOwnership(t.as(nobody), { token }), { code: 'ENTITY_NOT_FOUND' });
  });

  test('replacing a key does not invalidate the claims it signed', async () => {
    const { ctx } = await claimant();
    const { token } = await generateAssetVerification(ctx, { body });
    await rotateKey(t.services, 'jwt');
    assert.ok((await verifyOwnership(t.as(nobody), { token })).claim);
  });

  test('altered, foreign and strange tokens do not exist', async () => {
    const { ctx } = await claimant();
    const { token } = await generateAssetVerification(ctx, { format: 'jwt', body });
    const { token: sealed } = await generateAssetVerification(ctx, { format: 'ae', body });
    const [header = '', payload = '', signature = ''] = token.split('.');
    const changed = Buffer.from(payload, 'base64url').toString().replace(coin, cats);
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    const { signature: other = '' } = await verifyOwnership(t.as(nobody), { token });
    const url = `${t.services.settings.baseUrl}/elsewhere/${token}`;
    const elsewhere = await ctx.tx((tx) => createSlug(ctx, tx, { url, ttlSeconds: 60 }));
    const strange = [
      elsewhere.slug,
      [header, Buffer.from(changed).toString('base64url'), signature].join('.'),
      `${none}.${payload}.`,
      sealed.slice(0, -4),
      other,
      'x',
      'a.b.c',
      'a.b.c.d.e',
    ];
    for (const text of strange) {
      await assert.rejects(verifyOwnership(t.as(nobody), { token: text }), { code: 'ENTITY_NOT_FOUND' }, text);
    }
  });

  test('claims without assets, with too many or with strange ones are refused', async () => {
    const { ctx } = await claimant();
    for (const assets of [[], ['cats'], Array.from({ length: 21 }, () => coinAsset)]) {
      await assert.rejects(generateAssetVerification(ctx, { body: { assets } }), AppError);
    }
    const long = Array.from({ length: 20 }, (_, index) => `near:mainnet/NEP141:${'x'.repeat(120)}${index}`);
    await assert.rejects(
      generateAssetVerification(ctx, { format: 'ae', body: { assets: long } }),
      /too long for a link/,
    );
  });
});
