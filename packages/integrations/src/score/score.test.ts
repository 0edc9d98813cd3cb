import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startScoreTwin } from '@latchkey/twins/score';
import { patientMs, refuseMisbehaviour } from '@latchkey/twins/testing';
import { alice, asking, bob, startTwin } from '../testing/start-twin.ts';
import { createScoreHoldings } from './index.ts';

const ask = asking('evm:1', 'trustswap');

async function start(t: TestContext) {
  const twin = await startTwin(t, startScoreTwin());
  twin.state.amounts.set(`swapscore/${alice}`, '4000.500');
  const place = { service: 'TrustSwap', chain: 'evm:1', standard: 'trustswap' };
  const open = (timeoutMs = patientMs) =>
    createScoreHoldings({ ...twin.options, timeoutMs, ...place, apiKey: twin.state.apiKey });
  return { ...twin, open, reader: open() };
}

test('one number about an account is read exactly', async (t) => {
  const { reader } = await start(t);
  assert.deepEqual(await reader.read([ask('swapscore'), ask('swapscore', bob)]), [
    { kind: 'read', amount: '4000.5' },
    { kind: 'read', amount: '0' },
  ]);
  assert.ok(reader.reads(ask('swapscore')) && !reader.reads({ chain: 'evm:1', standard: 'moca' }));
});

test('whatever is wrong with the service, the answer is unknown', async (t) => {
  const { open, ...twin } = await start(t);
  await refuseMisbehaviour(twin, open, [ask('swapscore')], {
    'another account': (body) => ({ ...Object(body), account: bob }),
    'a number instead of a decimal as text': (body) => ({ ...Object(body), amount: 4000.5 }),
    'an amount that is none': (body) => ({ ...Object(body), amount: '1e6' }),
    'a negative amount': (body) => ({ ...Object(body), amount: '-1' }),
  });
});
