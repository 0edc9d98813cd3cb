import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Question } from '@latchkey/core/ports';
import { startNearRpcEmulator } from '@latchkey/emulators/near-rpc';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { createNearHoldings } from './index.ts';

const alice = 'alice.near';

async function start(t: TestContext) {
  const emulator = await startNearRpcEmulator();
  t.after(emulator.stop);
  const units = new Map([[alice, '340282366920938463463374607431768211455']]);
  emulator.state.yocto.set(alice, '1500000000000000000000001');
  emulator.state.contracts.set('coin.near', { kind: 'nep141', decimals: 18, symbol: 'COIN', units });
  const tokens = Array.from({ length: 120 }, (_, id) => ({
    token_id: `art-${id}`,
    owner_id: alice,
    metadata: { title: `Art ${id}` },
  }));
  emulator.state.contracts.set('art.near', { kind: 'nep171', tokens });
  const open = (timeoutMs = patientMs) =>
    createNearHoldings({ fetch, urls: { 'near:mainnet': emulator.url }, timeoutMs });
  return { ...emulator, open, reader: open() };
}

function ask(standard: string, reference: string, account = alice, more: Partial<Question> = {}): Question {
  return { chain: 'near:mainnet', standard, reference, account, needs: 'amount', ...more };
}

test('coins, NEP-141 and NEP-171 are read exactly and at one final block', async (t) => {
  const { reader, state, requests } = await start(t);
  const answers = await reader.read([
    ask('native', 'native'),
    ask('native', 'native', 'never-funded.near'),
    ask('nep141', 'coin.near'),
    ask('nep141', 'coin.near', 'bob.near'),
    ask('nep171', 'art.near'),
    ask('nep171', 'art.near', 'bob.near', { tokenIds: 'art-1' }),
  ]);
  assert.deepEqual(
    answers.map((answer) => answer.kind === 'read' && answer.amount),
    ['1.500000000000000000000001', '0', '340282366920938463463.374607431768211455', '0', '120', '0'],
  );
  assert.ok(answers.every((answer) => answer.kind === 'read' && answer.block?.number === String(state.finalHeight)));
  assert.equal(requests.filter(({ body }) => JSON.stringify(body).includes('ft_metadata')).length, 1);
  assert.ok(requests.slice(1).every(({ body }) => JSON.stringify(body).includes(`"block_id":${state.finalHeight}`)));
});

test('every page of tokens is read, also for counting where a contract keeps no count', async (t) => {
  const { reader, state } = await start(t);
  const [named] = await reader.read([ask('nep171', 'art.near', alice, { needs: 'metadata' })]);
  assert.ok(named?.kind === 'read');
  assert.equal(new Set(named.tokens?.map((token) => token.id)).size, 120);
  assert.deepEqual(named.tokens?.[119], { id: 'art-119', amount: '1', metadata: { title: 'Art 119' } });
  const art = state.contracts.get('art.near');
  if (art?.kind === 'nep171') art.hasSupply = false;
  const [counted] = await reader.read([ask('nep171', 'art.near')]);
  assert.equal(counted?.kind === 'read' && counted.amount, '120');
});

test('pruned blocks, addresses without a contract and foreign tokens are unknown', async (t) => {
  const { reader, misbehave } = await start(t);
  const answers = await reader.read([
    ask('native', 'native', alice, { atBlock: '7' }),
    ask('nep141', 'art.near'),
    ask('nep141', 'nowhere.near'),
    ask('nep141', 'coin.near', alice, { leastSince: '2026-01-01T00:00:00Z' }),
  ]);
  assert.deepEqual(answers, [
    { kind: 'unknown', reason: 'The NEAR node could not read the account (GARBAGE_COLLECTED_BLOCK).' },
    { kind: 'unknown', reason: 'The NEAR node sent a response that cannot be read: the balance is not an integer.' },
    { kind: 'unknown', reason: 'The NEAR node could not call the contract (UNKNOWN_ACCOUNT).' },
    { kind: 'unknown', reason: 'The NEAR node does not provide the minimum balance over a period.' },
  ]);
  const swap = (body: unknown): unknown => {
    const bytes = Object(Object(body).result).result;
    if (!Array.isArray(bytes)) return body;
    return {
      ...Object(body),
      result: { result: [...Buffer.from(Buffer.from(bytes).toString().replaceAll('alice', 'mallory'))] },
    };
  };
  misbehave({ kind: 'lie', change: swap });
  const [foreign] = await reader.read([ask('nep171', 'art.near', alice, { needs: 'tokens' })]);
  assert.match(foreign?.kind === 'unknown' ? foreign.reason : '', /another owner/);
});

test('whatever is wrong with the node, the result is unknown', async (t) => {
  const { open, ...emulator } = await start(t);
  await refuseMisbehaviour(emulator, open, [ask('nep141', 'coin.near'), ask('nep171', 'art.near')], {
    'an error': () => ({ jsonrpc: '2.0', id: 'latchkey', error: { code: -32000, message: 'Server error' } }),
    'an empty result': () => ({ jsonrpc: '2.0', id: 'latchkey', result: {} }),
  });
});
