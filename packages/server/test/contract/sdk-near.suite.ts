import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createNearBlocks } from '@latchkey/chains';
import { indexStep } from '@latchkey/core';
import { sql } from '@latchkey/db';
import type { NearTestAccount } from '@latchkey/emulators/near-chain';
import { KeyPair, type KeyPairString } from 'near-api-js';
import { aliceId, malloryId } from '../harness/identities.ts';
import { type OutsideWorld, outsideWorld } from '../harness/outside-world.ts';
import { connectSdk, createSdkCaller, refusedWith, type Sdk } from '../harness/sdk-client.ts';
import { type NearHome, newNearHome } from '../harness/set-up-near.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { aboutNear } from './sdk-resources.ts';
import { turns } from './turns.ts';

const oneNear = 10n ** 24n;
const nft = '/near-nft';
const markets = `${nft}/market-contracts`;
const inNear = (price: bigint) => ({ ftContract: 'near', price: String(price) });
const idsOf = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id);

turns.describe('contract: sdk, NEAR', () => {
  let near: OutsideWorld['near'];
  let home: NearHome;
  let server: TestServer;
  let asAlice: Sdk;
  let asMallory: Sdk;
  let people: Record<'seller' | 'buyer' | 'rival', NearTestAccount>;
  const { call, routesLeft } = createSdkCaller();

  before(async () => {
    const outside = await outsideWorld();
    ({ near } = outside);
    home = newNearHome(outside);
    server = await startTestServer({ ...outside.environment, ...home.environment });
    asAlice = await connectSdk(server, { authenticatedEncryption: await server.aeToken(aliceId) });
    asMallory = await connectSdk(server, { authenticatedEncryption: await server.aeToken(malloryId) });
    const account = (name: string) => near.createAccount(named(name), 100n * oneNear);
    people = { seller: account('seller'), buyer: account('buyer'), rival: account('rival') };
    const metadata = { spec: 'ft-1.0.0', name: 'Coin', symbol: 'COIN', decimals: 6 };
    const supply = { owner_id: named('buyer'), total_supply: '500', metadata };
    for (const [id, code, init] of [
      [named('coin'), 'nep141', supply],
      [named('factory'), 'bridge-factory', undefined],
      [bridged(), 'bridge-token', supply],
    ] as const) {
      near.createAccount(id, 100n * oneNear);
      near.deploy(id, code, init);
    }
    await call(asAlice, `POST ${nft}/token-contracts`, art());
    await call(asAlice, `POST ${markets}`, { contractId: 'bazaar' });
  });
  after(() => server?.close());

  const named = (name: string) => `${name}.${home.account}`;
  const bridged = () => `${'cd'.repeat(20)}.${named('factory')}`;
  const art = () => ({
    name: 'Art',
    contractId: 'prints',
    tokenOptions: [{ type: 'print', cap: '100' }],
    properties: { classification: `spring-of-${home.account}` },
  });
  const item = (tokenId: string) => ({ marketContract: named('bazaar'), tokenContract: named('prints'), tokenId });
  const mint = (id: string, more: object = {}) =>
    call(asAlice, `POST ${nft}/token-contracts/{address}`, named('prints'), named('seller'), {
      id,
      type: 'print',
      ...more,
    });

  /** Sends a request, has the wallet sign, and sends it again with the signatures. */
  async function signed(account: NearTestAccount, route: string, body: object) {
    const requested = await call(asAlice, route, undefined, body);
    const key = KeyPair.fromString(account.secretKey as KeyPairString);
    const signatures = requested.toSign.map(({ transaction }: { transaction: string }) => {
      const digest = createHash('sha256').update(Buffer.from(transaction, 'base64')).digest();
      return Buffer.from(key.sign(digest).signature).toString('base64');
    });
    return call(asAlice, route, signatures.join(','), body);
  }

  test('contracts are created, given types and currencies by their creator, and listed', async () => {
    const [prints, bazaar] = [named('prints'), named('bazaar')];
    const again = await call(asAlice, `POST ${nft}/token-contracts`, art());
    const read = await call(asMallory, `GET ${nft}/token-contracts/{address}`, prints);
    assert.deepEqual([again.tenant, read.tenant], [aliceId, undefined]);
    assert.deepEqual([read.name, read.transactionHash], ['Art', again.transactionHash]);
    const created = `GET ${nft}/users/{userId}/token-contracts`;
    assert.deepEqual(idsOf(await call(asAlice, created, aliceId, 10)), [prints]);
    assert.deepEqual(idsOf(await call(asMallory, created, aliceId)), []);
    const collection = await call(
      asMallory,
      `GET ${nft}/token-collections/{collectionId}`,
      `spring-of-${home.account}`,
    );
    assert.deepEqual(idsOf(collection), [prints]);

    const coins = [named('coin')];
    const currencies = await call(asAlice, `POST ${markets}/{address}/ft-token-ids`, bazaar, coins);
    assert.deepEqual(currencies.ftTokenIds, ['near', ...coins]);
    const types = `POST ${nft}/token-contracts/{address}/token-types`;
    const gold = { types: [{ type: 'gold', cap: '1' }], locked: true };
    await assert.rejects(call(asMallory, types, prints, gold), refusedWith(404, 'ENTITY_NOT_FOUND'));
    assert.equal((await call(asAlice, types, prints, gold)).types.length, 2);
    const unlocked = await call(asAlice, `${types}/unlock`, prints, ['gold']);
    assert.ok(unlocked.types.every(({ locked }: { locked: boolean }) => !locked));
  });

  test('a token is minted, read, listed by owner and by contract, and transferred with its owner’s signature', async () => {
    const prints = named('prints');
    const minted = await mint('moved', { name: 'Cat' });
    assert.equal(minted.tokenId, 'moved');
    const token = await call(asMallory, `GET ${nft}/tokens/{address}/{id}`, prints, 'moved');
    assert.deepEqual(
      [token.ownerAddress, token.metadata.title, token.tokenContract.name],
      [named('seller'), 'Cat', 'Art'],
    );
    assert.ok(idsOf(await call(asMallory, `GET ${nft}/tokens/{address}`, prints, 100)).includes('moved'));
    const body = { tokenAddress: prints, tokenId: 'moved', sender: named('seller'), receiver: named('rival') };
    const transfer = `POST ${nft}/tokens/transfer`;
    const forged = Buffer.alloc(64).toString('base64');
    await assert.rejects(call(asAlice, transfer, forged, body), refusedWith(401, 'INVALID_CREDENTIAL'));
    assert.equal((await signed(people.seller, transfer, body)).ownerAddress, named('rival'));
    const owned = `GET ${nft}/users/{userId}/owned-tokens`;
    assert.deepEqual(idsOf(await call(asMallory, owned, named('rival'))), ['moved']);
    assert.deepEqual(idsOf(await call(asMallory, `${owned}/{address}`, named('rival'), prints, 10)), ['moved']);
  });

  test('a token is offered, repriced, withdrawn, bought, and sold to the highest bid', async () => {
    const [bazaar, prints, seller, buyer] = [named('bazaar'), named('prints'), named('seller'), named('buyer')];
    await mint('sold');
    const sale = { ...item('sold'), seller, prices: [inNear(oneNear)] };
    assert.equal((await signed(people.seller, `POST ${markets}/sell`, sale)).status, 'listed');
    const price = inNear(2n * oneNear);
    const dearer = await signed(people.seller, `POST ${markets}/update-price`, { ...sale, prices: [price] });
    assert.deepEqual(dearer.prices, [price]);
    const listing = await call(asMallory, `POST ${markets}/get-sale`, item('sold'));
    assert.deepEqual([listing.seller, listing.tokenType, listing.conditions], [seller, 'print', [price]]);
    const sales = `GET ${markets}/{marketContract}/sales`;
    const byContract = `${sales}/contracts/{tokenContract}`;
    assert.deepEqual(await call(asMallory, `${byContract}/{tokenId}`, bazaar, prints, 'sold'), listing);
    for (const [route, ...args] of [
      [byContract, bazaar, prints, 0, 5],
      [`${sales}/indexes/{indexName}/{indexKey}`, bazaar, 'owner_id', seller, 0, 5],
      [`${sales}/sellers/{seller}`, bazaar, seller, 0, 5],
      [`${sales}/token-types/{tokenType}`, bazaar, 'print', 0, 5],
    ] as const)
      assert.deepEqual(await call(asMallory, route, ...args), [listing], route);
    const bought = await signed(people.buyer, `POST ${markets}/buy`, { ...item('sold'), buyer, price });
    assert.deepEqual([bought.status, bought.buyer], ['sold', buyer]);

    await mint('auctioned');
    const auction = { ...sale, ...item('auctioned'), isAuction: true };
    await signed(people.seller, `POST ${markets}/sell`, auction);
    const bid = { ...item('auctioned'), buyer, price };
    assert.equal((await signed(people.buyer, `POST ${markets}/buy`, bid)).status, 'offered');
    const accepted = await signed(people.seller, `POST ${markets}/accept`, { ...bid, seller });
    assert.deepEqual([accepted.status, accepted.buyer], ['sold', buyer]);

    await mint('kept');
    const kept = { ...sale, ...item('kept') };
    await signed(people.seller, `POST ${markets}/sell`, kept);
    assert.equal((await signed(people.seller, `POST ${markets}/remove-sale`, kept)).status, 'removed');
    await assert.rejects(
      call(asMallory, `POST ${markets}/get-sale`, item('kept')),
      refusedWith(404, 'ENTITY_NOT_FOUND'),
    );
  });

  test('an account is created for a user, has a balance, and bridged tokens return to Ethereum', async () => {
    const publicKey = KeyPair.fromRandom('ed25519').getPublicKey().toString();
    const made = await call(asAlice, `POST ${nft}/users`, undefined, { publicKey });
    assert.match(made.accountId, new RegExp(`\\.${home.account}$`));
    const theirs = await call(asAlice, `POST ${nft}/users`, undefined, {
      accountId: named('rival'),
      publicKey: people.rival.publicKey,
    });
    assert.match(theirs.messageToSign.message, new RegExp(aliceId));
    const balance = `GET ${nft}/users/{userId}/balance`;
    assert.equal((await call(asAlice, balance, aliceId)).balance, String(oneNear / 10n));
    assert.equal((await call(asMallory, balance, named('buyer'), named('coin'))).balance, '500');

    const withdrawal = { bridgeTokenContract: bridged(), sender: named('buyer'), amount: '300' };
    const recipient = `0x${'ab'.repeat(20)}`;
    const done = await signed(people.buyer, `POST ${nft}/bridge-tokens/withdraw`, { ...withdrawal, recipient });
    assert.deepEqual([done.status, done.balance], ['withdrawn', '200']);
  });

  test('network activity is found by transaction, receipt, contract, token and account', async () => {
    const [prints, seller] = [named('prints'), named('seller')];
    await mint('indexed');
    near.makeBlocks(5);
    const { startsAfter } = home;
    const blocks = createNearBlocks({
      fetch,
      network: near.chainId,
      urls: [near.url],
      timeoutMs: 180_000,
      startsAfter,
    });
    while ((await indexStep(server.services, blocks, new AbortController().signal)) === 'moved');

    const index = 'GET /near-indexer';
    const [minting] = await call(asMallory, `${index}/{contract}/transactions/{tokenId}`, prints, 'indexed', 5, 0);
    assert.deepEqual([minting.contract, minting.caller, minting.args.token_id], [prints, home.account, 'indexed']);
    const receipt = await call(asMallory, `${index}/receipts/{receiptId}`, minting.receiptId);
    assert.equal(receipt.receiver_account_id, prints);
    const hash = receipt.originated_from_transaction_hash;
    const transaction = await call(asMallory, `${index}/transactions/{txHash}`, hash);
    assert.deepEqual(
      [transaction.signer_account_id, transaction.converted_into_receipt_id],
      [home.account, minting.receiptId],
    );
    const authorization = await server.aeToken(aliceId);
    const written = await server.request('GET', `/near-indexer/transactions/${hash}`, { headers: { authorization } });
    const { rows } = await sql<{ time: string; burnt: string }>`
      select block_time::text as time, tokens_burnt::text as burnt from near_seen_transactions where hash = ${hash}`.execute(
      server.services.db.system,
    );
    const digits = /"block_timestamp":(\d+).*"receipt_conversion_tokens_burnt":(\d+)/.exec(written.text);
    assert.deepEqual([digits?.[1], digits?.[2]], [rows[0]?.time, rows[0]?.burnt], 'every digit is on the wire');
    for (const [route, ...args] of [
      [`${index}/transactions`, prints, home.account, 100, 0],
      [`${index}/{contract}/function-calls`, prints, home.account, 100, 0],
      [`${index}/{contract}/transactionsForAccount/{account}`, prints, seller, 100, 0],
    ] as const) {
      const calls: { receiptId: string }[] = await call(asMallory, route, ...args);
      assert.ok(
        calls.some(({ receiptId }) => receiptId === minting.receiptId),
        route,
      );
    }
    const accounts = await call(asMallory, `${index}/{parentAccount}/accounts`, home.account, 'nft', 100, 0);
    assert.deepEqual(accounts, [prints]);
    assert.deepEqual(await call(asMallory, `${index}/{accountId}/nft-contracts`, seller), [prints]);
    const coins = [bridged(), named('coin')];
    assert.deepEqual(await call(asMallory, `${index}/{accountId}/ft-contracts`, named('buyer')), coins);
  });

  test('every operation of these resources was called', () => {
    assert.deepEqual(
      routesLeft((name) => aboutNear.includes(name)),
      [],
    );
  });
});
