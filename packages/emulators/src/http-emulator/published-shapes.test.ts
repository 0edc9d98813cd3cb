import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startEsploraEmulator } from '../esplora/index.ts';
import { startGalxeEmulator } from '../galxe/index.ts';
import { startPassportEmulator } from '../gitcoin-passport/index.ts';
import { startImmutableXEmulator } from '../immutable-x/index.ts';
import { startLoopringEmulator } from '../loopring/index.ts';
import { startOpenSeaEmulator } from '../opensea/index.ts';
import { startOrdEmulator } from '../ord/index.ts';
import { startPoapEmulator } from '../poap/index.ts';
import { startStampchainEmulator } from '../stampchain/index.ts';
import { startTonCenterEmulator } from '../ton-center/index.ts';
import { startTwitterEmulator } from '../twitter/index.ts';
import { startUnisatEmulator } from '../unisat/index.ts';
import type { HttpEmulator } from './index.ts';

const evm = `0x${'a'.repeat(40)}`;
const bitcoin = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
const inscription = `${'a'.repeat(64)}i0`;

async function get<Emulator extends HttpEmulator>(
  t: TestContext,
  starting: Promise<Emulator>,
  prepare: (state: Emulator) => void,
) {
  const emulator = await starting;
  t.after(emulator.stop);
  prepare(emulator);
  return async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${emulator.url}${path}`, init);
    const text = await response.text();
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      body: text.startsWith('<') ? text : JSON.parse(text),
    };
  };
}

function assertHas(value: unknown, ...names: string[]) {
  for (const name of names)
    assert.ok(name in Object(value), `${name} is missing from ${JSON.stringify(value).slice(0, 200)}`);
}

test('Esplora answers sums and unspent outputs as its API describes them', async (t) => {
  const ask = await get(t, startEsploraEmulator(), ({ state }) =>
    state.outputs.push({ address: bitcoin, txid: 'a'.repeat(64), vout: 0, sats: 5 }),
  );
  const { body } = await ask(`/address/${bitcoin}`);
  assertHas(body, 'address', 'chain_stats', 'mempool_stats');
  assertHas(body.chain_stats, 'funded_txo_count', 'funded_txo_sum', 'spent_txo_count', 'spent_txo_sum', 'tx_count');
  const utxos = await ask(`/address/${bitcoin}/utxo`);
  assertHas(utxos.body[0], 'txid', 'vout', 'status', 'value');
  const blocks = await ask('/blocks');
  assert.equal(blocks.body.length, 10);
});

test('ord returns JSON on request, and pages otherwise', async (t) => {
  const ask = await get(t, startOrdEmulator(), ({ state }) =>
    state.inscriptions.push({ id: inscription, number: 7, address: bitcoin }),
  );
  const headers = { accept: 'application/json' };
  assert.match((await ask(`/address/${bitcoin}`)).type ?? '', /html/);
  assertHas(
    (await ask(`/address/${bitcoin}`, { headers })).body,
    'outputs',
    'inscriptions',
    'sat_balance',
    'runes_balances',
  );
  assertHas(
    (await ask('/status', { headers })).body,
    'address_index',
    'inscription_index',
    'chain',
    'height',
    'unrecoverably_reorged',
  );
  assertHas(
    (await ask(`/inscription/${inscription}`, { headers })).body,
    'address',
    'content_type',
    'height',
    'id',
    'number',
    'parents',
    'satpoint',
  );
});

test('UniSat wraps everything in its envelope, Stampchain in its pages', async (t) => {
  const brc20 = await get(t, startUnisatEmulator(), ({ state }) => state.tickers.push('ordi'));
  const info = await brc20(`/v1/indexer/address/${bitcoin}/brc20/ordi/info`);
  assertHas(info.body, 'code', 'msg', 'data');
  assertHas(info.body.data, 'ticker', 'overallBalance', 'transferableBalance', 'availableBalance');
  assertHas((await brc20(`/v1/indexer/address/${bitcoin}/brc20/summary`)).body.data, 'total', 'start', 'detail');
  const stamps = await get(t, startStampchainEmulator(), ({ state }) =>
    state.held.push({ address: bitcoin, stamp: 1, cpid: 'A1', creator: bitcoin, balance: 1 }),
  );
  const { body } = await stamps(`/api/v2/stamps/balance/${bitcoin}?limit=1&page=1`);
  assertHas(body, 'page', 'limit', 'totalPages', 'total', 'last_block', 'data');
  assertHas(
    body.data[0],
    'cpid',
    'stamp',
    'stamp_url',
    'stamp_mimetype',
    'tx_hash',
    'divisible',
    'supply',
    'locked',
    'creator',
    'creator_name',
    'balance',
  );
});

test('TON Center writes raw addresses in upper case and refuses invalid ones', async (t) => {
  const [owner, master] = [`0:${'a'.repeat(64)}`, `0:${'b'.repeat(64)}`];
  const ask = await get(t, startTonCenterEmulator(), ({ state }) =>
    state.jettonWallets.push({ owner, master, units: '5' }),
  );
  const { body } = await ask(`/api/v3/jetton/wallets?owner_address=${owner}&jetton_address=${master}`);
  assertHas(body, 'jetton_wallets', 'address_book', 'metadata');
  assertHas(body.jetton_wallets[0], 'address', 'balance', 'owner', 'jetton', 'last_transaction_lt');
  assert.equal(body.jetton_wallets[0].owner, owner.toUpperCase());
  assert.equal((await ask('/api/v3/nft/items?owner_address=nonsense')).status, 422);
});

test('Immutable X pages by cursor, Loopring requires a key and names its errors', async (t) => {
  const assets = await get(t, startImmutableXEmulator(), ({ state }) =>
    state.assets.push(...['1', '2'].map((id) => ({ user: evm, token_address: evm, token_id: id }))),
  );
  const first = await assets(`/v1/assets?user=${evm}&page_size=1`);
  assertHas(first.body, 'result', 'cursor', 'remaining');
  assertHas(first.body.result[0], 'token_address', 'token_id', 'user', 'status');
  const second = await assets(`/v1/assets?user=${evm}&page_size=1&cursor=${first.body.cursor}`);
  assert.deepEqual([second.body.result[0].token_id, second.body.remaining], ['2', 0]);
  assertHas((await assets('/v1/assets?page_size=1000')).body, 'code', 'message');
  const loopring = await get(t, startLoopringEmulator(), ({ state }) =>
    state.nfts.push({ accountId: 1, tokenAddress: evm, nftId: '0x1', total: '10' }),
  );
  assert.equal((await loopring('/api/v3/user/balances?accountId=1')).status, 401);
  assert.deepEqual((await loopring(`/api/v3/account?owner=${evm}`)).body.resultInfo.code, 101002);
  const held = await loopring('/api/v3/user/nft/balances?accountId=1', { headers: { 'x-api-key': 'loopring-key' } });
  assertHas(held.body.data[0], 'accountId', 'tokenId', 'tokenAddress', 'nftId', 'nftType', 'total', 'locked');
});

test('POAP, Passport, OpenSea, Galxe and X answer and refuse as they publish it', async (t) => {
  const poap = await get(t, startPoapEmulator(), ({ state }) =>
    state.tokens.push({ owner: evm, eventId: 7, tokenId: '1' }),
  );
  const keyed = { headers: { 'x-api-key': 'poap-key' } };
  assert.equal((await poap(`/actions/scan/${evm}`)).status, 401);
  assertHas((await poap(`/actions/scan/${evm}/7`, keyed)).body, 'event', 'tokenId', 'owner');
  assert.deepEqual((await poap(`/actions/scan/${evm}/8`, keyed)).body, {
    statusCode: 404,
    error: 'Not Found',
    message: 'Address does not have token for this event',
  });
  const passport = await get(t, startPassportEmulator(), () => undefined);
  assertHas(
    (await passport(`/v2/stamps/42/score/${evm}`, { headers: { 'X-API-KEY': 'passport-key' } })).body,
    'address',
    'score',
    'passing_score',
    'threshold',
    'error',
    'stamps',
  );
  const opensea = await get(t, startOpenSeaEmulator(), ({ state }) =>
    state.tokens.push({ owner: evm, chain: 'ethereum', slug: 'a', identifier: '1' }),
  );
  const nfts = await opensea(`/api/v2/chain/ethereum/account/${evm}/nfts?collection=a`, {
    headers: { 'x-api-key': 'opensea-key' },
  });
  assertHas(nfts.body.nfts[0], 'identifier', 'collection', 'contract', 'token_standard', 'metadata_url');
  assertHas((await opensea(`/api/v2/chain/ethereum/account/${evm}/nfts`)).body, 'errors');
  const galxe = await get(t, startGalxeEmulator(), ({ state }) => state.campaigns.add('GC1'));
  const query =
    'query($c: ID!, $a: String!) { campaign(id: $c) { whitelistInfo(address: $a) { address maxCount usedCount } } }';
  const request = await galxe('/query', {
    method: 'POST',
    body: JSON.stringify({ query, variables: { c: 'GC1', a: evm } }),
  });
  assert.deepEqual(request.body.data.campaign.whitelistInfo, { address: evm, maxCount: 1, usedCount: 0 });
  const x = await get(t, startTwitterEmulator(), ({ state }) =>
    state.users.push({ id: '12', username: 'jack', followers: 3 }),
  );
  const users = await x('/2/users/by?usernames=jack,nobody&user.fields=public_metrics', {
    headers: { authorization: 'Bearer x-token' },
  });
  assertHas(users.body.data[0], 'id', 'name', 'username', 'public_metrics');
  assert.equal(users.body.errors[0].title, 'Not Found Error');
});
