import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startGalxeTwin } from '@latchkey/twins/galxe';
import { patientMs, refuseMisbehaviour } from '@latchkey/twins/testing';
import { alice, asking, bob, startTwin } from '../testing/start-twin.ts';
import { createGalxeHoldings } from './index.ts';

const ask = asking('galxe:galxe', 'galxe');

async function start(t: TestContext) {
  const twin = await startTwin(t, startGalxeTwin());
  twin.state.campaigns.add('GCTN3ttM4T');
  twin.state.claims.push({ campaign: 'GCTN3ttM4T', address: alice, count: 2 });
  const open = (timeoutMs = patientMs) => createGalxeHoldings({ ...twin.options, timeoutMs });
  return { ...twin, open, reader: open() };
}

test('claims in a campaign are counted', async (t) => {
  const { reader } = await start(t);
  assert.deepEqual(await reader.read([ask('GCTN3ttM4T'), ask('GCTN3ttM4T', bob), ask('GCnone')]), [
    { kind: 'read', amount: '2' },
    { kind: 'read', amount: '0' },
    { kind: 'unknown', reason: 'Galxe has no such campaign.' },
  ]);
});

test('whatever is wrong with the service, the answer is unknown', async (t) => {
  const { open, ...twin } = await start(t);
  await refuseMisbehaviour(twin, open, [ask('GCTN3ttM4T')], {
    'errors of GraphQL': () => ({ data: null, errors: [{ message: 'rpc error' }] }),
    'another account': (body) => JSON.parse(JSON.stringify(body).replace(alice, bob)),
    'no participation': () => ({ data: { campaign: { id: 'GCTN3ttM4T', whitelistInfo: null } } }),
  });
});
