import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Question } from '@latchkey/core/ports';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { startTzktEmulator } from '@latchkey/emulators/tzkt';
import { createTezosHoldings } from './index.ts';

const alice = 'tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb';
const bob = 'tz1aSkwEot3L2kmUvcoxzjMomb9mvBNuzFK6';
const coin = 'KT1PWx2mnDueood7fEmfbBDKx1D9BAnnXitn';
const art = 'KT1RJ6PbjHpwc3M5rw5s2Nbmefwbuwbdxton';

async function start(t: TestContext) {
  const emulator = await startTzktEmulator();
  t.after(emulator.stop);
  emulator.state.balances.push(
    {
      account: alice,
      contract: coin,
      standard: 'fa1.2',
      balance: '123456789012345678901',
      metadata: { decimals: '18' },
    },
    {
      account: alice,
      contract: art,
      standard: 'fa2',
      tokenId: '7',
      balance: '1',
      metadata: { decimals: '0', name: 'Seven' },
    },
    { account: alice, contract: art, standard: 'fa2', tokenId: '340282366920938463463', balance: '2' },
    { account: bob, contract: art, standard: 'fa2', tokenId: '8', balance: '0' },
  );
  emulator.state.mutez.set(alice, 1_500_001);
  const open = (timeoutMs = patientMs) =>
    createTezosHoldings({ fetch, urls: { 'tezos:mainnet': emulator.url }, timeoutMs });
  return { ...emulator, open, reader: open() };
}

function ask(standard: string, reference: string, account = alice, more: Partial<Question> = {}): Question {
  return { chain: 'tezos:mainnet', standard, reference, account, needs: 'amount', ...more };
}

test('coins, FA1.2 and FA2 are read exactly, at one level, with one request for each contract', async (t) => {
  const { reader, requests } = await start(t);
  const block = { number: '5000000', hash: `BL${'5000000'.padStart(49, '1')}` };
  assert.deepEqual(
    await reader.read([
      ask('native', 'native'),
      ask('fa1.2', coin),
      ask('fa2', art),
      ask('fa2', art, bob),
      ask('fa2', art, alice, { needs: 'metadata' }),
      ask('fa2', art, alice, { tokenIds: '7' }),
    ]),
    [
      { kind: 'read', amount: '1.500001', block },
      { kind: 'read', amount: '123.456789012345678901', block },
      { kind: 'read', amount: '3', block },
      { kind: 'read', amount: '0', block },
      {
        kind: 'read',
        amount: '3',
        tokens: [
          { id: '7', amount: '1', metadata: { decimals: '0', name: 'Seven' } },
          { id: '340282366920938463463', amount: '2', metadata: {} },
        ],
        block,
      },
      {
        kind: 'read',
        amount: '3',
        tokens: [
          { id: '7', amount: '1' },
          { id: '340282366920938463463', amount: '2' },
        ],
        block,
      },
    ],
  );
  assert.equal(requests.filter(({ path }) => path === '/v1/tokens/balances').length, 2);
});

test('more tokens than fit on a page are all read', async (t) => {
  const { reader, state } = await start(t);
  for (let id = 0; id < 2_500; id += 1) {
    state.balances.push({ account: bob, contract: art, standard: 'fa2', tokenId: String(id), balance: '1' });
  }
  const [answer] = await reader.read([ask('fa2', art, bob, { needs: 'tokens' })]);
  assert.equal(answer?.kind === 'read' && answer.amount, '2500');
  assert.equal(answer?.kind === 'read' && new Set(answer.tokens?.map((token) => token.id)).size, 2_500);
});

test('a past level is read from history, and so is the rest of a batch when the indexer advances', async (t) => {
  const { reader, state, misbehave, requests } = await start(t);
  state.past.set(10, { mutez: new Map([[alice, 1]]), balances: [] });
  const atTen = await reader.read([
    ask('fa2', art, alice, { atBlock: '10' }),
    ask('native', 'native', alice, { atBlock: '10' }),
  ]);
  assert.deepEqual(
    atTen.map((answer) => answer.kind === 'read' && answer.amount),
    ['0', '0.000001'],
  );

  state.past.set(state.level, { balances: [...state.balances] });
  misbehave(
    {
      kind: 'lie',
      change: (head) => {
        state.level += 1;
        state.balances.length = 0;
        return head;
      },
    },
    1,
  );
  const [answer] = await reader.read([ask('fa2', art)]);
  assert.equal(answer?.kind === 'read' && answer.amount, '3');
  assert.match(requests.at(-1)?.path ?? '', /historical_balances\/5000000$/);
});

test('whatever is wrong with the service, the result is unknown', async (t) => {
  const { open, reader, ...emulator } = await start(t);
  await refuseMisbehaviour(emulator, open, [ask('fa2', art)], {
    'a balance that is no number': (body) =>
      JSON.parse(JSON.stringify(body).replace('"balance":"1"', '"balance":"1.5"')),
    'a balance that lost digits': (body) => JSON.parse(JSON.stringify(body).replace('"balance":"2"', '"balance":1e21')),
    'a value that is not a list': () => ({ result: [] }),
    'another network': (body) =>
      Array.isArray(body) ? body : { ...Object(body), chain: 'ghostnet', chainId: 'NetXnHfVqm9iesp' },
  });
  const late = await start(t);
  late.state.synced = false;
  const [behind] = await late.reader.read([ask('fa2', art)]);
  assert.deepEqual(behind, { kind: 'unknown', reason: 'TzKT is behind the chain.' });
});

test('a fungible token without decimals, an invalid address and a future level are unknown', async (t) => {
  const { reader, state } = await start(t);
  state.balances.push({ account: bob, contract: coin, standard: 'fa1.2', balance: '5' });
  const answers = await reader.read([
    ask('fa1.2', coin, bob),
    ask('fa2', 'KT1nonsense'),
    ask('fa2', art, alice, { atBlock: '9999999' }),
  ]);
  assert.deepEqual(answers, [
    { kind: 'unknown', reason: 'TzKT sent a response that cannot be read: the token does not report its decimals.' },
    { kind: 'unknown', reason: 'TzKT rejected the request (400).' },
    { kind: 'unknown', reason: 'TzKT has not seen block 9999999 yet.' },
  ]);
});
