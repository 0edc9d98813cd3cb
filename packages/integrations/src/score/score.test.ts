import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startScoreEmulator } from '@latchkey/emulators/score';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { alice, asking, bob, startEmulator } from '../testing/start-emulator.ts';
import { createScoreHoldings } from './index.ts';

const ask = asking('evm:1', 'trustswap');

async function start(t: TestContext) {
  const emulator = await startEmulator(t, startScoreEmulator());
  emulator.state.amounts.set(`swapscore/${alice}`, '4000.500');
  const place = { service: 'TrustSwap', chain: 'evm:1', standard: 'trustswap' };
  const open = (timeoutMs = patientMs) =>
    createScoreHoldings({ ...emulator.options, timeoutMs, ...place, apiKey: emulator.state.apiKey });
  return { ...emulator, open, reader: open() };
}

test('one number about an account is read exactly', async (t) => {
  const { reader } = await start(t);
  assert.deepEqual(await reader.read([ask('swapscore'), ask('swapscore', bob)]), [
    { kind: 'read', amount: '4000.5' },
    { kind: 'read', amount: '0' },
  ]);
  assert.ok(reader.reads(ask('swapscore')) && !reader.reads({ chain: 'evm:1', standard: 'moca' }));
});

test('whatever is wrong with the service, the result is unknown', async (t) => {
  const { open, ...emulator } = await start(t);
  await refuseMisbehaviour(emulator, open, [ask('swapscore')], {
    'another account': (body) => ({ ...Object(body), account: bob }),
    'a number instead of a decimal as text': (body) => ({ ...Object(body), amount: 4000.5 }),
    'an invalid amount': (body) => ({ ...Object(body), amount: '1e6' }),
    'a negative amount': (body) => ({ ...Object(body), amount: '-1' }),
  });
});
