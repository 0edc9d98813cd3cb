import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startGalxeEmulator } from '@latchkey/emulators/galxe';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { alice, asking, bob, startEmulator } from '../testing/start-emulator.ts';
import { createGalxeHoldings } from './index.ts';

const ask = asking('galxe:galxe', 'galxe');

async function start(t: TestContext) {
  const emulator = await startEmulator(t, startGalxeEmulator());
  emulator.state.campaigns.add('GCTN3ttM4T');
  emulator.state.claims.push({ campaign: 'GCTN3ttM4T', address: alice, count: 2 });
  const open = (timeoutMs = patientMs) => createGalxeHoldings({ ...emulator.options, timeoutMs });
  return { ...emulator, open, reader: open() };
}

test('claims in a campaign are counted', async (t) => {
  const { reader } = await start(t);
  assert.deepEqual(await reader.read([ask('GCTN3ttM4T'), ask('GCTN3ttM4T', bob), ask('GCnone')]), [
    { kind: 'read', amount: '2' },
    { kind: 'read', amount: '0' },
    { kind: 'unknown', reason: 'Galxe does not have this campaign.' },
  ]);
});

test('whatever is wrong with the service, the result is unknown', async (t) => {
  const { open, ...emulator } = await start(t);
  await refuseMisbehaviour(emulator, open, [ask('GCTN3ttM4T')], {
    'errors of GraphQL': () => ({ data: null, errors: [{ message: 'rpc error' }] }),
    'another account': (body) => JSON.parse(JSON.stringify(body).replace(alice, bob)),
    'no participation': () => ({ data: { campaign: { id: 'GCTN3ttM4T', whitelistInfo: null } } }),
  });
});
