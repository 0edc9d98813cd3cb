import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startPoapEmulator } from '@latchkey/emulators/poap';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { alice, asking, bob, startEmulator } from '../testing/start-emulator.ts';
import { createPoapHoldings } from './index.ts';

const ask = asking('poap:poap', 'poap');

async function start(t: TestContext) {
  const emulator = await startEmulator(t, startPoapEmulator());
  emulator.state.tokens.push(
    { owner: alice, eventId: 7, tokenId: '3010642' },
    { owner: alice, eventId: 8, tokenId: '3010643' },
  );
  const open = (timeoutMs = patientMs) =>
    createPoapHoldings({ ...emulator.options, timeoutMs, apiKey: emulator.state.apiKey });
  return { ...emulator, open, reader: open() };
}

test('one event is requested directly, several of an account with one list', async (t) => {
  const { reader, requests } = await start(t);
  assert.deepEqual(await reader.read([ask('7', alice, { needs: 'tokens' }), ask('7', bob)]), [
    { kind: 'read', amount: '1', tokens: [{ id: '3010642', amount: '1' }] },
    { kind: 'read', amount: '0' },
  ]);
  const several = await reader.read([ask('7'), ask('8'), ask('9'), ask('*'), ask('*', bob)]);
  assert.deepEqual(
    several.map((answer) => answer.kind === 'read' && answer.amount),
    ['1', '1', '0', '2', '0'],
  );
  assert.equal(requests.length, 4);
});

test('a 404 counts as a result only with the service’s message', async (t) => {
  const { reader, misbehave } = await start(t);
  misbehave({
    kind: 'status',
    status: 404,
    body: { statusCode: 404, error: 'Not Found', message: 'Route GET:/actions not found' },
  });
  assert.deepEqual(await reader.read([ask('7')]), [{ kind: 'unknown', reason: 'POAP was not found there.' }]);
});

test('a wrong key, an invalid event and a past block are unknown', async (t) => {
  const { reader, options } = await start(t);
  const wrong = createPoapHoldings({ ...options, apiKey: 'wrong-key' });
  assert.deepEqual(await wrong.read([ask('7')]), [{ kind: 'unknown', reason: 'POAP did not accept the key (403).' }]);
  const answers = await reader.read([ask('seven'), ask('7', alice, { atBlock: '5' })]);
  assert.deepEqual(
    answers.map((answer) => answer.kind),
    ['unknown', 'unknown'],
  );
  assert.ok(!reader.reads({ chain: 'poap:poap', standard: 'erc721' }));
});

test('whatever is wrong with the service, the result is unknown', async (t) => {
  const { open, ...emulator } = await start(t);
  await refuseMisbehaviour(emulator, open, [ask('7')], {
    'a token of another owner': (body) => ({ ...Object(body), owner: bob }),
    'a token without its event': (body) => ({ ...Object(body), event: null }),
  });
  await refuseMisbehaviour(emulator, open, [ask('7'), ask('8')], {
    'a value that is not a list': () => ({ tokens: [] }),
  });
});
