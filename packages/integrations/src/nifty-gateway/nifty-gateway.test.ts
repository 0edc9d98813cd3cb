import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startNiftyEmulator } from '@latchkey/emulators/nifty-gateway';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { asking, startEmulator } from '../testing/start-emulator.ts';
import { createNiftyHoldings } from './index.ts';

const ask = asking('nifty:mainnet', 'nifty');
const contract = '0xc92ceddfb8dd984a89fb494c376f9a48b999aafc';

async function start(t: TestContext) {
  const emulator = await startEmulator(t, startNiftyEmulator());
  emulator.state.users.add('tommy').add('anna');
  for (let id = 0; id < 150; id += 1)
    emulator.state.nifties.push({ owner: 'tommy', contractAddress: contract, tokenId: `T${id}` });
  const open = (timeoutMs = patientMs) => createNiftyHoldings({ ...emulator.options, timeoutMs });
  return { ...emulator, open, reader: open() };
}

test('nifties of a user are counted over all pages', async (t) => {
  const { reader } = await start(t);
  const [named, none, nobody] = await reader.read([
    ask(contract, 'tommy', { needs: 'tokens' }),
    ask(contract, 'anna'),
    ask(contract, 'nobody'),
  ]);
  assert.equal(named?.kind === 'read' && named.amount, '150');
  assert.deepEqual(named?.kind === 'read' && named.tokens?.at(-1), { id: 'T149', amount: '1' });
  assert.deepEqual(none, { kind: 'read', amount: '0' });
  assert.deepEqual(nobody, { kind: 'unknown', reason: 'Nifty Gateway rejected the request (404).' });
});

test('whatever is wrong with the service, the result is unknown', async (t) => {
  const { open, ...emulator } = await start(t);
  await refuseMisbehaviour(emulator, open, [ask(contract, 'tommy')], {
    'nifties of another contract': (body) => JSON.parse(JSON.stringify(body).replaceAll(contract, '0x1')),
    'fewer than announced': (body) => ({ ...Object(body), results: [] }),
  });
});
