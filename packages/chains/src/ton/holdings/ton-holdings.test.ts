import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Answer, Question } from '@latchkey/core/ports';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { startTonCenterEmulator } from '@latchkey/emulators/ton-center';
import { Address } from '@ton/core';
import { createTonHoldings } from './index.ts';

const addressOf = (number: number) => `0:${number.toString(16).padStart(64, '0')}`;
const [alice, bob] = [addressOf(1), addressOf(2)];
const [coin, odd, silent, art] = [addressOf(0xc1), addressOf(0xc2), addressOf(0xc3), addressOf(0xa1)];

async function start(t: TestContext) {
  const emulator = await startTonCenterEmulator();
  t.after(emulator.stop);
  const { state } = emulator;
  state.nano.set(alice, '1500000001');
  state.jettons.push(
    { master: coin, content: { decimals: '6' } },
    { master: odd, content: { uri: 'https://example.com/odd.json' }, indexedDecimals: '18' },
    { master: silent, content: { uri: 'https://example.com/silent.json' } },
  );
  for (const master of [coin, odd, silent])
    state.jettonWallets.push({ owner: alice, master, units: '340282366920938463463374607' });
  state.nfts.push({ owner: alice, collection: art, index: '7', content: { uri: 'ipfs://7', name: 'Seven' } });
  state.apiKey = 'ton-key';
  const open = (timeoutMs = patientMs) =>
    createTonHoldings({ fetch, urls: { 'ton:mainnet': emulator.url }, apiKey: 'ton-key', timeoutMs });
  return { ...emulator, open, reader: open() };
}

function ask(standard: string, reference: string, account = alice, more: Partial<Question> = {}): Question {
  return { chain: 'ton:mainnet', standard, reference, account, needs: 'amount', ...more };
}

const amountsOf = (answers: readonly Answer[]) => answers.map((answer) => answer.kind === 'read' && answer.amount);

test('coins, jettons and collections are read exactly, many owners in one request', async (t) => {
  const { reader, requests } = await start(t);
  const friendly = Address.parse(coin).toString();
  const answers = await reader.read([
    ...[alice, bob].map((account) => ask('native', 'native', account)),
    ...[alice, bob].map((account) => ask('jetton', coin, account)),
    ask('jetton', odd),
    ...[alice, bob].map((account) => ask('nft', art, account)),
    ask('jetton', friendly),
  ]);
  assert.deepEqual(amountsOf(answers), [
    '1.500000001',
    '0',
    '340282366920938463463.374607',
    '0',
    '340282366.920938463463374607',
    '1',
    '0',
    '340282366920938463463.374607',
  ]);
  assert.equal(requests.filter(({ path }) => path === '/api/v3/jetton/masters').length, 2);
  assert.equal(requests.filter(({ path }) => path === '/api/v3/accountStates').length, 1);
  const [named] = await reader.read([ask('nft', art, alice, { needs: 'metadata' })]);
  assert.deepEqual(named?.kind === 'read' && named.tokens, [
    { id: '7', amount: '1', uri: 'ipfs://7', metadata: { uri: 'ipfs://7', name: 'Seven' } },
  ]);
});

test('items beyond a page are read as well', async (t) => {
  const { reader, state } = await start(t);
  for (let index = 0; index < 2_100; index += 1) state.nfts.push({ owner: bob, collection: art, index: String(index) });
  assert.deepEqual(amountsOf(await reader.read([ask('nft', art, bob)])), ['2100']);
});

test('jettons without decimals, unknown jettons and invalid references are unknown', async (t) => {
  const { reader } = await start(t);
  const answers = await reader.read([
    ask('jetton', silent),
    ask('jetton', addressOf(99)),
    ask('nft', 'nonsense'),
    ask('jetton', coin, alice, { atBlock: '5' }),
  ]);
  assert.deepEqual(answers, [
    {
      kind: 'unknown',
      reason: 'TON Center sent a response that cannot be read: the jetton does not report its decimals.',
    },
    { kind: 'unknown', reason: 'Jetton not found on TON Center.' },
    { kind: 'unknown', reason: 'The reference is not a TON address.' },
    { kind: 'unknown', reason: 'TON Center cannot be read at a past block.' },
  ]);
});

test('whatever is wrong with TON Center, the result is unknown', async (t) => {
  const { open, ...emulator } = await start(t);
  const lies = {
    'values that are not lists': () => ({ jetton_wallets: {}, jetton_masters: {}, nft_items: null }),
    'invalid numbers': (body: unknown) =>
      JSON.parse(JSON.stringify(body).replace(/"(balance|index)":"\d+"/g, '"$1":"0x1"')),
  };
  // TEP-64: decimals default to nine.
  await refuseMisbehaviour(emulator, open, [ask('jetton', coin), ask('nft', art)], lies, ['decimals', 'uri']);
});
