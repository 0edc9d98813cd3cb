import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Question } from '@latchkey/core/ports';
import { startLoopringEmulator } from '@latchkey/emulators/loopring';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { createLoopringHoldings } from './index.ts';

const alice = '0x00000000000000000000000000000000000000a1';
const ether = `0x${'0'.repeat(40)}`;
const lrc = '0xbbbbca6a901c926f240b89eacb641d8aec7aeafd';
const art = '0x486e3C172A444B3b7cB2fA91E8EBac37cb3E376C';

async function start(t: TestContext) {
  const emulator = await startLoopringEmulator();
  t.after(emulator.stop);
  const { state } = emulator;
  state.accounts.set(alice, 77);
  state.tokens.push(
    { tokenId: 0, symbol: 'ETH', address: ether, decimals: 18 },
    { tokenId: 1, symbol: 'LRC', address: lrc, decimals: 18 },
  );
  state.balances.push({ accountId: 77, tokenId: 1, total: '123456789012345678901' });
  for (let id = 0; id < 60; id += 1) {
    state.nfts.push({
      accountId: 77,
      tokenAddress: art,
      nftId: `0x${id.toString(16).padStart(64, '0')}`,
      total: id === 0 ? '10' : '1',
    });
  }
  const options = { urls: { 'loopring:mainnet': emulator.url }, timeoutMs: patientMs };
  const open = (timeoutMs = patientMs) =>
    createLoopringHoldings({ fetch, ...options, timeoutMs, apiKey: state.apiKey });
  return { ...emulator, options, open, reader: open() };
}

function ask(standard: string, reference: string, account = alice, more: Partial<Question> = {}): Question {
  return { chain: 'loopring:mainnet', standard, reference, account, needs: 'amount', ...more };
}

test('tokens and collectibles are read exactly, over all pages; an unknown account holds nothing', async (t) => {
  const { reader } = await start(t);
  const stranger = '0x00000000000000000000000000000000000000ff';
  const answers = await reader.read([
    ask('ft', lrc),
    ask('ft', ether),
    ask('nft', art.toLowerCase()),
    ask('ft', lrc, stranger),
    ask('nft', art, stranger, { tokenIds: '0x1' }),
    ask('ft', '0x1234'),
  ]);
  assert.deepEqual(answers, [
    { kind: 'read', amount: '123.456789012345678901' },
    { kind: 'read', amount: '0' },
    { kind: 'read', amount: '69' },
    { kind: 'read', amount: '0' },
    { kind: 'read', amount: '0', tokens: [] },
    { kind: 'unknown', reason: 'Loopring does not list this token.' },
  ]);
  const [named] = await reader.read([ask('nft', art, alice, { needs: 'tokens' })]);
  assert.equal(named?.kind === 'read' && named.tokens?.length, 60);
});

test('whatever fails, the result is unknown and does not reveal the key', async (t) => {
  const { open, options, state, ...emulator } = await start(t);
  const answers = await createLoopringHoldings({ fetch, ...options, apiKey: 'wrong' }).read([ask('ft', lrc)]);
  assert.deepEqual(answers, [{ kind: 'unknown', reason: 'Loopring did not accept the key (401).' }]);
  await refuseMisbehaviour(emulator, open, [ask('ft', lrc), ask('nft', art)], {
    'a failure with a good status': () => ({ resultInfo: { code: 100000, message: 'unknown error' } }),
    'invalid numbers': (body) => JSON.parse(JSON.stringify(body).replace(/"total":"\d+"/g, '"total":1e30')),
  });
});
