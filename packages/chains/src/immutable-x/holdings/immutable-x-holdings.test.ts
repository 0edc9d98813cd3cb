import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Question } from '@latchkey/core/ports';
import { startImmutableXEmulator } from '@latchkey/emulators/immutable-x';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { createImmutableXHoldings } from './index.ts';

const alice = '0x00000000000000000000000000000000000000a1';
const cards = '0xacb3c6a43d15b907e8433077b6d38ae40936fe2c';

async function start(t: TestContext) {
  const emulator = await startImmutableXEmulator();
  t.after(emulator.stop);
  const card = { user: alice, token_address: cards };
  for (let id = 0; id < 450; id += 1)
    emulator.state.assets.push({ ...card, token_id: String(id), metadata: { proto: id } });
  emulator.state.assets.push({ ...card, token_id: '900', status: 'eth' }, { ...card, user: '0xb0b', token_id: '901' });
  const open = (timeoutMs = patientMs) =>
    createImmutableXHoldings({ fetch, urls: { 'immutable_x:mainnet': emulator.url }, timeoutMs });
  return { ...emulator, open, reader: open() };
}

function ask(more: Partial<Question> = {}): Question {
  return {
    chain: 'immutable_x:mainnet',
    standard: 'immutable_x',
    reference: cards,
    account: alice,
    needs: 'amount',
    ...more,
  };
}

test('everything on the exchange is counted over all pages, and nothing that was withdrawn', async (t) => {
  const { reader, requests } = await start(t);
  const mixedCase = `0x${cards.slice(2).toUpperCase()}`;
  const [counted, same, nobody] = await reader.read([
    ask(),
    ask({ reference: mixedCase }),
    ask({ account: `0x${'0'.repeat(40)}` }),
  ]);
  assert.deepEqual(counted, { kind: 'read', amount: '450' });
  assert.deepEqual(same, counted);
  assert.deepEqual(nobody, { kind: 'read', amount: '0' });
  assert.equal(requests.length, 4);
  const [named] = await reader.read([ask({ needs: 'metadata' })]);
  assert.deepEqual(named?.kind === 'read' && named.tokens?.at(-1), {
    id: '449',
    amount: '1',
    metadata: { proto: 449 },
  });
});

test('whatever fails, the result is unknown', async (t) => {
  const [refused] = await (await start(t)).reader.read([ask({ account: 'nonsense' })]);
  assert.deepEqual(refused, { kind: 'unknown', reason: 'Immutable X rejected the request (400).' });
  const { open, ...emulator } = await start(t);
  await refuseMisbehaviour(emulator, open, [ask()], {
    'assets of another owner': (body) => JSON.parse(JSON.stringify(body).replaceAll(alice, '0xb0b')),
    'pages without end': (body) => ({ ...Object(body), remaining: 1, cursor: '' }),
    'no word on what remains': (body) => ({ result: Object(body).result }),
  });
});
