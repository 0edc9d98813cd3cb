import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { memoryHoldings } from '@latchkey/core/testing';
import { startRollEmulator } from '@latchkey/emulators/roll';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { alice, asking, bob, startEmulator } from '../testing/start-emulator.ts';
import { createRollHoldings } from './index.ts';

const ask = asking('evm:1', 'roll');
const whale = '0x9355372396e3F6daF13359B7b607a3374cc638e0';

async function start(t: TestContext) {
  const emulator = await startEmulator(t, startRollEmulator());
  const token = { name: 'x', decimals: 4 };
  emulator.state.tokens.push(
    { ...token, symbol: 'WHALE', contractAddress: whale },
    { ...token, symbol: 'TWICE', contractAddress: whale },
    { ...token, symbol: 'twice', contractAddress: bob },
  );
  const tokens = memoryHoldings();
  tokens.set({ chain: 'evm:1', standard: 'erc20', reference: whale, account: alice }, '12.5');
  const open = (timeoutMs = patientMs) => createRollHoldings({ ...emulator.options, timeoutMs, tokens });
  return { ...emulator, tokens, open, reader: open() };
}

test('a symbol maps to one contract, whose balance is read from the chain', async (t) => {
  const { reader, tokens } = await start(t);
  const unlisted = { kind: 'unknown', reason: 'Roll does not list exactly one token with this symbol.' };
  const answers = await reader.read([ask('NONE'), ask('$whale'), ask('TWICE'), ask('WHALE', bob)]);
  assert.deepEqual(
    answers.map((answer) => (answer.kind === 'read' ? answer.amount : answer)),
    [unlisted, '12.5', unlisted, '0'],
  );
  assert.ok(tokens.requests.every(({ standard, reference }) => standard === 'erc20' && reference === whale));
});

test('whatever is wrong with the service, the result is unknown and no other token is read from the chain', async (t) => {
  const { open, tokens, ...emulator } = await start(t);
  await refuseMisbehaviour(emulator, open, [ask('WHALE')], {
    'an invalid address': () => [{ symbol: 'WHALE', contractAddress: 'x' }],
  });
  assert.ok(tokens.requests.every(({ reference }) => reference === whale));
});
