import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Answer, Question } from '@latchkey/core/ports';
import { startRmrkEmulator } from '@latchkey/emulators/rmrk-index';
import { type SubstrateEmulator, startSubstrateEmulator } from '@latchkey/emulators/substrate-rpc';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { storageKey } from './create-holdings.ts';
import { createPolkadotHoldings, type PolkadotHoldingsNetwork } from './index.ts';
import recorded from './testing/recorded-storage.json' with { type: 'json' };

// The well-known development account //Bob in Kusama's format. The storage is that of a real runtime after it was funded.
const bob = 'FoQJpPyadYccjavVdTWxpxU7rUEaYhfLCPwXgkfD6Zat9QP';
const nobody = 'FcxNWVy5RESDsErjwyZmPCW6Z8Y3fbfLzmou34YZTrbcraL';

async function nodeFor(t: TestContext): Promise<SubstrateEmulator> {
  const node = await startSubstrateEmulator();
  t.after(node.stop);
  node.addBlock(Object.entries(recorded));
  return node;
}

const readerOf = (network: PolkadotHoldingsNetwork, timeoutMs = patientMs) =>
  createPolkadotHoldings({ fetch, networks: new Map([['kusama', network]]), timeoutMs });

function ask(standard: string, reference: string, account = bob, more: Partial<Question> = {}): Question {
  return { chain: 'polkadot:kusama', standard, reference, account, needs: 'amount', ...more };
}

const amounts = (answers: readonly Answer[]) =>
  answers.map((each) => (each.kind === 'read' ? each.amount : each.reason));

test('currency, assets and collectibles are read at one final block', async (t) => {
  const node = await nodeFor(t);
  const reader = readerOf({ rpcUrls: [node.url] });
  const answers = await reader.read([
    ask('native', 'native'),
    ask('native', 'native', nobody),
    ask('assets', '7'),
    ask('assets', '7', nobody),
    ask('uniques', '5'),
    ask('uniques', '5', bob, { tokenIds: '1' }),
  ]);
  assert.deepEqual(amounts(answers), ['12.500000000001', '0', '123.456', '0', '2', '2']);
  const block = { number: '1', hash: node.blocks[1]?.hash };
  for (const answer of answers) assert.deepEqual(answer.kind === 'read' && answer.block, block);
  const named = answers[5]?.kind === 'read' ? answers[5].tokens?.map(({ id }) => id).toSorted() : [];
  assert.deepEqual(named, ['1', '4000000000']);
});

test('a thousand wallets take a few requests', async (t) => {
  const node = await nodeFor(t);
  const { encodeSs58 } = await import('../ss58.ts');
  const wallets = Array.from({ length: 1_000 }, (_, index) => {
    const account = new Uint8Array(32);
    new DataView(account.buffer).setUint32(0, index);
    return encodeSs58({ prefix: 2, account });
  });
  const answers = await readerOf({ rpcUrls: [node.url] }).read(
    wallets.map((wallet) => ask('native', 'native', wallet)),
  );
  assert.ok(answers.every((answer) => answer.kind === 'read' && answer.amount === '0'));
  const requested = node.requests.filter(({ body }) => Reflect.get(Object(body), 'method') === 'state_queryStorageAt');
  assert.equal(requested.length, 2);
});

test('more collectibles than fit on a page are all read', async (t) => {
  const node = await nodeFor(t);
  const own = Object.keys(recorded).find((place) => place.includes('26a48969e06'));
  const start = own?.slice(0, -40) ?? '';
  const many = Array.from({ length: 2_400 }, (_, index) => {
    const id = (index + 10).toString(16).padStart(8, '0').match(/../g)?.reverse().join('');
    return [`${start}${index.toString(16).padStart(32, '0')}${id}`, '0x'] as const;
  });
  node.addBlock(many);
  assert.deepEqual(amounts(await readerOf({ rpcUrls: [node.url] }).read([ask('uniques', '5')])), ['2402']);
});

test('past blocks are read correctly', async (t) => {
  const node = await nodeFor(t);
  const place = Object.keys(recorded).find((each) => each.startsWith(storageKey('Assets', 'Account')));
  node.addBlock([[place ?? '', undefined]]);
  const reader = readerOf({ rpcUrls: [node.url] });
  assert.deepEqual(amounts(await reader.read([ask('assets', '7'), ask('assets', '7', bob, { atBlock: '1' })])), [
    '0',
    '123.456',
  ]);
  const blocks = new Map([['polkadot:kusama', { number: '1', hash: `0x${'a'.repeat(64)}` }]]);
  const [other] = await reader.read([ask('assets', '7')], { blocks });
  assert.deepEqual(other, { kind: 'unknown', reason: 'The Substrate node has another block 1.' });
});

test('whatever is wrong with the node, the result is unknown', async (t) => {
  const node = await nodeFor(t);
  const text = (change: (text: string) => string) => (body: unknown) => JSON.parse(change(JSON.stringify(body)));
  const open = (timeoutMs: number) => readerOf({ rpcUrls: [node.url] }, timeoutMs);
  const questions = [ask('assets', '7'), ask('uniques', '5'), ask('native', 'native')];
  const lies = {
    'another chain': text((message) => message.replaceAll('b0a8d493', '91b171bb')),
    'another block': text((message) => message.replace(/"block":"0x\w+"/, `"block":"0x${'0'.repeat(64)}"`)),
    'values left out': text((message) => message.replace(/"changes":\[.*\]\]/, '"changes":[]')),
    'values that are cut off': text((message) =>
      message.replaceAll(/"0x\w{60,}"\]/g, '"0x00"]').replaceAll(/\["(0x\w+)","0x\w+"\]/g, '["$1","0x0"]'),
    ),
    'an error': () => ({ jsonrpc: '2.0', id: 1, error: { code: 4003, message: 'Client error' } }),
  };
  // An empty storage entry has null as its value.
  await refuseMisbehaviour(node, open, questions, lies, ['1']);
});

test('accounts of other chains, invalid assets and standards without a service are unknown', async (t) => {
  const node = await nodeFor(t);
  const reader = readerOf({ rpcUrls: [node.url] });
  const malformed = 'The account is not on this chain, or the asset is not a number.';
  const polkadotBob = '14E5nqKAp3oAJcmzgZhUD2RcptBeUBScxKHgJKU4HPNcKVf3';
  const answers = await reader.read([
    ask('native', 'native', polkadotBob),
    ask('assets', '-1'),
    ask('assets', '4294967296'),
    ask('assets', '8'),
    ask('nfts', '5'),
    ask('rmrk', 'x'),
  ]);
  assert.deepEqual(amounts(answers), [
    malformed,
    malformed,
    malformed,
    'The Substrate node does not have asset 8.',
    'The Substrate node does not have collection 5.',
    'No node or service is configured that reads rmrk on polkadot:kusama.',
  ]);
  assert.equal(reader.reads({ chain: 'polkadot:kusama', standard: 'rmrk' }), false);
});

test('RMRK collectibles are read from an index, many owners per request and page by page', async (t) => {
  const index = await startRmrkEmulator();
  t.after(index.stop);
  const collection = '900D19DC7D3C444E4C-ACR';
  index.state.collections.add(collection);
  const document = { name: 'Bird', attributes: [{ trait_type: 'Beak', value: 'long' }] };
  const metadata = `data:application/json,${encodeURIComponent(JSON.stringify(document))}`;
  index.state.tokens.push(
    { id: 'one', collection, owner: nobody, name: 'One', metadata },
    { id: 'gone', collection, owner: nobody, burned: true },
    { id: 'other', collection: 'else', owner: nobody },
    ...Array.from({ length: 700 }, (_, place) => ({ id: `bird-${place}`, collection, owner: bob })),
  );
  const reader = readerOf({ rpcUrls: [], rmrkUrls: [index.url] });
  const answers = await reader.read([
    ask('rmrk', collection),
    ask('rmrk', collection, nobody, { needs: 'metadata' }),
    ask('rmrk', 'missing'),
  ]);
  assert.deepEqual(amounts(answers), ['700', '1', 'The RMRK index does not have collection missing.']);
  assert.deepEqual(answers[1]?.kind === 'read' && answers[1].tokens, [
    { id: 'one', amount: '1', uri: metadata, metadata: document },
  ]);
  assert.equal(index.requests.length, 3);
  const open = (timeoutMs: number) => readerOf({ rpcUrls: [], rmrkUrls: [index.url] }, timeoutMs);
  await refuseMisbehaviour(index, open, [ask('rmrk', collection, nobody)], {
    'errors beside no data': () => ({ errors: [{ message: 'no' }] }),
    'a token without an owner': (body) =>
      JSON.parse(JSON.stringify(body).replaceAll(/"currentOwner":"\w+"/g, '"currentOwner":null')),
  });
});
