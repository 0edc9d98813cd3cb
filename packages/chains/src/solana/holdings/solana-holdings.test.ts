import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Answer, type Egress, EgressFailed, EgressRefused, type Question } from '@latchkey/core/ports';
import { type SolanaChain, startSolanaChain } from '@latchkey/emulators/solana-chain';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { base58 } from '@scure/base';
import { createSolanaHoldings, type SolanaCluster, type SolanaHoldingsOptions } from './index.ts';
import { editionAddress } from './program-addresses.ts';

const key = (seed: number) =>
  base58.encode(Uint8Array.from({ length: 32 }, (_, place) => (seed * 31 + place * 7) % 251));
const [alice, bob, coin, artist, collection] = [key(1), key(2), key(3), key(4), key(5)];

async function chainFor(t: TestContext): Promise<SolanaChain> {
  const chain = await startSolanaChain();
  t.after(chain.stop);
  return chain;
}

function readerOf(
  chains: readonly SolanaChain[],
  more: Pick<SolanaCluster, 'dasUrl'> & Omit<SolanaHoldingsOptions, 'clusters' | 'fetch'> = {},
) {
  const { dasUrl, ...rest } = more;
  const cluster = { rpcUrls: chains.map(({ url }) => url), ...(dasUrl !== undefined && { dasUrl }) };
  return createSolanaHoldings({
    clusters: new Map([['mainnet-beta', cluster]]),
    timeoutMs: patientMs,
    fetch,
    ...rest,
  });
}

function ask(standard: string, reference: string, account = alice, more: Partial<Question> = {}): Question {
  return { chain: 'solana:mainnet-beta', standard, reference, account, needs: 'amount', ...more };
}

const art = (by: string, reference: string, more: Partial<Question> = {}) =>
  ask('metaplex', reference, alice, { details: { by }, ...more });

const amounts = (answers: readonly Answer[]) =>
  answers.map((each) => (each.kind === 'read' ? each.amount : each.reason));

async function airdrop(chain: SolanaChain, to: string, lamports: number) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params: [to, lamports] });
  await fetch(chain.url, { method: 'POST', body });
}

async function giveArt(chain: SolanaChain, mint: string, token: Parameters<SolanaChain['describeToken']>[0] | object) {
  chain.setMint({ mint, decimals: 0, supply: 1n });
  await chain.setBalance({ mint, owner: alice, amount: 1n });
  await chain.describeToken({ mint, ...token });
}

test('coins and tokens of both programs are read exactly, at one slot', async (t) => {
  const chain = await chainFor(t);
  const newer = key(30);
  await airdrop(chain, alice, 1_500_000_001);
  chain.setMint({ mint: coin, decimals: 6 });
  chain.setMint({ mint: newer, decimals: 9, program: 'token-2022' });
  await chain.setBalance({ mint: coin, owner: alice, amount: 18_446_744_073_709_551_615n });
  await chain.setBalance({ mint: newer, owner: alice, amount: 7n, program: 'token-2022' });
  const answers = await readerOf([chain]).read([
    ask('native', 'native'),
    ask('native', 'native', bob),
    ask('spl', coin),
    ask('spl', coin, bob),
    ask('spl', newer),
  ]);
  assert.deepEqual(amounts(answers), ['1.500000001', '0', '18446744073709.551615', '0', '0.000000007']);
  for (const answer of answers) {
    assert.deepEqual(answer.kind === 'read' && answer.block, { number: String(chain.slot) });
  }
});

test('tokens outside the associated account are found, and accounts that name another owner do not count', async (t) => {
  const chain = await chainFor(t);
  chain.setMint({ mint: coin, decimals: 0 });
  await chain.setBalance({ mint: coin, owner: alice, amount: 2n, account: key(40) });
  await chain.setBalance({ mint: coin, owner: alice, amount: 3n, account: key(41) });
  const reader = readerOf([chain]);
  assert.deepEqual(amounts(await reader.read([ask('spl', coin)])), ['5']);
  await chain.setBalance({ mint: coin, owner: alice, amount: 0n });
  assert.deepEqual(amounts(await reader.read([ask('spl', coin)])), ['5']);
  assert.deepEqual(amounts(await reader.read([ask('spl', coin, bob)])), ['0']);
});

test('a hundred wallets take one request', async (t) => {
  const chain = await chainFor(t);
  chain.setMint({ mint: coin, decimals: 0 });
  const wallets = Array.from({ length: 250 }, (_, place) => key(1_000 + place));
  assert.equal(new Set(wallets).size, 250);
  for (const owner of wallets) await chain.setBalance({ mint: coin, owner, amount: 1n });
  const answers = await readerOf([chain]).read([
    ...wallets.map((wallet) => ask('spl', coin, wallet)),
    ...wallets.map((wallet) => ask('native', 'native', wallet)),
  ]);
  assert.equal(answers.filter((answer) => answer.kind === 'read' && answer.amount === '1').length, 250);
  const requested = chain.requests.map(({ body }) => Reflect.get(Object(body), 'method'));
  assert.deepEqual(Object.groupBy(requested, String).getMultipleAccounts?.length, 7);
  assert.equal(requested.includes('getTokenAccountsByOwner'), false);
});

test('collectibles count by signed creators, confirmed collections, originals with their prints, and mints', async (t) => {
  const chain = await chainFor(t);
  const [first, second, claimed, currency, old, print] = [key(10), key(11), key(12), key(13), key(14), key(15)];
  const signed = [{ address: artist, verified: true, share: 100 }];
  await giveArt(chain, first, { creators: signed, tokenStandard: 0, collection: { key: collection, verified: true } });
  await giveArt(chain, second, { creators: signed, tokenStandard: 4 });
  await giveArt(chain, claimed, {
    creators: [{ address: artist, verified: false, share: 100 }],
    tokenStandard: 0,
    collection: { key: collection, verified: false },
  });
  await giveArt(chain, currency, { creators: signed, tokenStandard: 2 });
  await giveArt(chain, old, { creators: signed });
  await giveArt(chain, print, { tokenStandard: 3 });
  await chain.makeOriginal(first);
  await chain.makePrint(print, first, 1);
  const reader = readerOf([chain]);
  const answers = await reader.read([
    art('creators', artist),
    art('collection', collection),
    art('masterEditions', editionAddress(first)),
    art('mint', first),
    art('mint', currency),
    art('creators', artist, { account: bob }),
    ask('nft', collection),
  ]);
  assert.deepEqual(amounts(answers), ['3', '1', '2', '1', '1', '0', '1']);
  const [listed] = await reader.read([art('creators', artist, { tokenIds: first })]);
  const tokens = listed?.kind === 'read' ? listed.tokens?.map(({ id, amount }) => `${id} ${amount}`) : [];
  assert.deepEqual(tokens?.toSorted(), [first, second, old].map((mint) => `${mint} 1`).toSorted());
});

test('legacy metadata of a mint with decimals makes it a currency, not a collectible', async (t) => {
  const chain = await chainFor(t);
  const mint = key(16);
  await giveArt(chain, mint, { creators: [{ address: artist, verified: true, share: 100 }] });
  assert.deepEqual(amounts(await readerOf([chain]).read([art('creators', artist)])), ['1']);
  chain.setMint({ mint, decimals: 6 });
  assert.deepEqual(amounts(await readerOf([chain]).read([art('creators', artist)])), ['0']);
});

test('token metadata is read, and left out while its document is unavailable', async (t) => {
  const chain = await chainFor(t);
  const document = { name: 'One', attributes: [{ trait_type: 'Eyes', value: 'green' }] };
  const uris = new Map<string, () => Promise<{ status: number; body: string }>>([
    ['https://ipfs.io/ipfs/cid/1', async () => ({ status: 200, body: JSON.stringify(document) })],
    ['https://example.com/gone', async () => ({ status: 404, body: '' })],
    ['https://example.com/down', async () => ({ status: 503, body: '' })],
    ['https://example.com/slow', () => Promise.reject(new EgressFailed('timeout', 'Too slow.'))],
    ['https://10.0.0.1/inside', () => Promise.reject(new EgressRefused('address', 'Not outside.'))],
  ]);
  const egress: Egress = {
    send: async ({ url }) => {
      const { status, body } = (await uris.get(url)?.()) ?? { status: 500, body: '' };
      return { status, headers: {}, body: new TextEncoder().encode(body) };
    },
  };
  const reader = readerOf([chain], { egress, ipfsGateway: 'https://ipfs.io/ipfs' });
  const read = async (uri: string) => {
    await giveArt(chain, key(20), {
      name: 'On chain',
      symbol: 'ART',
      uri,
      tokenStandard: 0,
      collection: { key: collection, verified: true },
    });
    const [answer] = await reader.read([art('collection', collection, { needs: 'metadata' })]);
    return answer?.kind === 'read' ? answer.tokens?.[0]?.metadata : assert.fail(answer?.reason);
  };
  const onChain = { name: 'On chain', symbol: 'ART' };
  assert.deepEqual(await read('ipfs://cid/1'), { ...onChain, ...document });
  assert.deepEqual(await read(`data:application/json;base64,${btoa(JSON.stringify({ a: 1 }))}`), { ...onChain, a: 1 });
  assert.deepEqual(await read('https://example.com/gone'), onChain);
  assert.deepEqual(await read('https://10.0.0.1/inside'), onChain);
  assert.deepEqual(await read('urn:nothing'), onChain);
  assert.deepEqual(await read(''), onChain);
  assert.equal(await read('https://example.com/down'), undefined);
  assert.equal(await read('https://example.com/slow'), undefined);
});

test('compressed collectibles count where an index is configured, unless it is behind or down', async (t) => {
  const chain = await chainFor(t);
  const index = await chainFor(t);
  const asset = { owner: alice, isCompressed: true, collection, attributes: [{ trait_type: 'Hat', value: 'red' }] };
  index.assets.push(
    { id: key(50), ...asset, name: 'Small' },
    { id: key(51), ...asset, isBurnt: true },
    { id: key(52), ...asset, isCompressed: false },
    { id: key(53), ...asset, isCompressed: false, interface: 'MplCoreAsset' },
  );
  await giveArt(chain, key(52), { tokenStandard: 0, collection: { key: collection, verified: true } });
  assert.deepEqual(amounts(await readerOf([chain]).read([art('collection', collection)])), ['1']);
  const reader = readerOf([chain], { dasUrl: index.url });
  assert.deepEqual(amounts(await reader.read([art('collection', collection), art('mint', key(50))])), ['3', '1']);
  const [described] = await reader.read([art('mint', key(50), { needs: 'metadata' })]);
  assert.deepEqual(described?.kind === 'read' && described.tokens, [
    { id: key(50), amount: '1', metadata: { name: 'Small', symbol: '', attributes: asset.attributes } },
  ]);
  for (let slot = 0; slot < 200; slot += 1) chain.nextSlot();
  assert.deepEqual(amounts(await reader.read([art('collection', collection)])), [
    'The asset index is behind the chain.',
  ]);
  index.misbehave({ kind: 'status', status: 500 });
  const [down] = await reader.read([art('collection', collection)]);
  assert.equal(down?.kind, 'unknown');
});

test('whatever is wrong with the node, the result is unknown', async (t) => {
  const chain = await chainFor(t);
  chain.setMint({ mint: coin, decimals: 0 });
  await chain.setBalance({ mint: coin, owner: alice, amount: 1n });
  await airdrop(chain, alice, 1_000_000_000);
  const text = (change: (text: string) => string) => (body: unknown) => JSON.parse(change(JSON.stringify(body)));
  const open = (timeoutMs: number) => readerOf([chain], { timeoutMs });
  const lies = {
    'another cluster': text((message) =>
      message.replaceAll('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1'),
    ),
    'an older slot': text((message) => message.replace(/"slot":\d+/, '"slot":1')),
    'accounts left out': text((message) =>
      message.replace(/"value":\[.*?\}\]/, '"value":[]').replace('"value":[null]', '"value":[]'),
    ),
    'data that is no base64': text((message) => message.replace(/"data":\["[^"]*"/, '"data":["*"')),
    'an error': () => ({ jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'Node is unhealthy' } }),
  };
  // An account that does not exist is null in the list of accounts.
  await refuseMisbehaviour(chain, open, [ask('spl', coin), ask('native', 'native')], lies, ['0']);
});

test('a failed question does not affect the results of the others', async (t) => {
  const chain = await chainFor(t);
  const wallets = Array.from({ length: 150 }, (_, place) => key(2_000 + place));
  const isLast = (body: unknown) => JSON.stringify(body).includes(wallets[149] ?? '');
  chain.misbehave({
    kind: 'lie',
    change: (body, request) => (isLast(request.body) ? { jsonrpc: '2.0', id: 1, error: { code: -32602 } } : body),
  });
  const answers = await readerOf([chain]).read(wallets.map((wallet) => ask('native', 'native', wallet)));
  assert.deepEqual(answers.map(({ kind }) => kind).filter((kind) => kind === 'read').length, 100);
});

test('invalid addresses, a missing mint and a past or future slot are unknown', async (t) => {
  const chain = await chainFor(t);
  const reader = readerOf([chain]);
  const [noOwner, noMint, missing, past] = await reader.read([
    ask('native', 'native', '0xabc'),
    ask('spl', 'nothing'),
    ask('spl', coin),
    ask('native', 'native', alice, { atBlock: '1' }),
  ]);
  for (const answer of [noOwner, noMint]) {
    assert.deepEqual(answer, { kind: 'unknown', reason: 'The account or asset is not a Solana address.' });
  }
  assert.match(missing?.kind === 'unknown' ? missing.reason : '', /does not have mint/);
  assert.match(past?.kind === 'unknown' ? past.reason : '', /past/);
  const at = (number: number) => ({ blocks: new Map([['solana:mainnet-beta', { number: String(number) }]]) });
  const [enough] = await reader.read([ask('native', 'native')], at(chain.slot));
  assert.equal(enough?.kind, 'read');
  const [early] = await reader.read([ask('native', 'native')], at(chain.slot + 1));
  assert.equal(early?.kind, 'unknown');
});

test('the next node is used when the first is down, and nodes that differ or lag do not make a quorum', async (t) => {
  const [first, second] = [await chainFor(t), await chainFor(t)];
  const reader = readerOf([first, second]);
  await airdrop(second, alice, 5_000_000_000);
  first.misbehave({ kind: 'status', status: 503 });
  assert.deepEqual(amounts(await reader.read([ask('native', 'native')])), ['5']);
  first.behave();
  const [differ] = await reader.read([ask('native', 'native')], { quorum: 2 });
  assert.equal(differ?.kind, 'unknown');
  await airdrop(first, alice, 5_000_000_000);
  assert.deepEqual(amounts(await reader.read([ask('native', 'native')], { quorum: 2 })), ['5']);
  first.nextSlot();
  const [lags] = await reader.read([ask('native', 'native')], { quorum: 2 });
  assert.equal(lags?.kind, 'unknown');
});
