import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startPassportEmulator } from '@latchkey/emulators/gitcoin-passport';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { alice, asking, bob, startEmulator } from '../testing/start-emulator.ts';
import { createPassportHoldings } from './index.ts';

const ask = asking('gitcoin:passport', 'score');

async function start(t: TestContext) {
  const emulator = await startEmulator(t, startPassportEmulator());
  emulator.state.scores.set(alice, '23.456780');
  const open = (timeoutMs = patientMs) =>
    createPassportHoldings({ ...emulator.options, timeoutMs, apiKey: emulator.state.apiKey, scorerId: '42' });
  return { ...emulator, open, reader: open() };
}

test('scores are read exactly, from the configured or named scorer', async (t) => {
  const { reader } = await start(t);
  assert.deepEqual(await reader.read([ask('default'), ask('42', bob), ask('43'), ask('../42')]), [
    { kind: 'read', amount: '23.45678' },
    { kind: 'read', amount: '0' },
    { kind: 'unknown', reason: 'Gitcoin Passport rejected the request (404).' },
    { kind: 'unknown', reason: 'A Gitcoin Passport scorer must be a number.' },
  ]);
});

test('whatever is wrong with the service, the result is unknown', async (t) => {
  const { open, ...emulator } = await start(t);
  await refuseMisbehaviour(emulator, open, [ask('default')], {
    'an error in the answer': (body) => ({ ...Object(body), error: 'scoring failed' }),
    'another account': (body) => ({ ...Object(body), address: bob }),
    'a score that lost digits': (body) => ({ ...Object(body), score: 23.4 }),
  });
});
