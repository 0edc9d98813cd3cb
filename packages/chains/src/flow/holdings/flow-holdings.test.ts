import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Question } from '@latchkey/core/ports';
import { startFlowAccessEmulator } from '@latchkey/emulators/flow-access';
import { patientMs, refuseMisbehaviour } from '@latchkey/emulators/testing';
import { createFlowHoldings } from './index.ts';

const coin = 'A.1654653399040a61.FlowToken.Balance.flowTokenBalance';
const cards = 'A.0b2a3299cc857e29.TopShot.MomentCollectionPublic.MomentCollection';
const accountOf = (number: number) => `0x${number.toString(16).padStart(16, '0')}`;
const [alice, bob, mallory] = [accountOf(1), accountOf(2), accountOf(3)];

async function start(t: TestContext) {
  const emulator = await startFlowAccessEmulator();
  t.after(emulator.stop);
  const vault = { path: 'flowTokenBalance', type: 'A.1654653399040a61.FlowToken.Vault' };
  emulator.state.published.push(
    { ...vault, account: alice, balance: '184467440737.09551615' },
    { ...vault, account: mallory, type: 'A.0000000000000003.FlowToken.Vault', balance: '99999.00000000' },
    {
      account: alice,
      path: 'MomentCollection',
      type: 'A.0b2a3299cc857e29.TopShot.Collection',
      ids: ['5', '18446744073709551615'],
    },
    { account: mallory, path: 'MomentCollection', type: 'A.0b2a3299cc857e29.TopShotFake.Collection', ids: ['1'] },
  );
  const open = (timeoutMs = patientMs) =>
    createFlowHoldings({ fetch, urls: { 'flow:mainnet': emulator.url }, timeoutMs });
  return { ...emulator, open, reader: open() };
}

function ask(standard: string, reference: string, account = alice, more: Partial<Question> = {}): Question {
  return { chain: 'flow:mainnet', standard, reference, account, needs: 'amount', ...more };
}

test('balances and collections are read exactly, with one script per asset, and forged ones do not count', async (t) => {
  const { reader, requests, state } = await start(t);
  const answers = await reader.read([
    ...[alice, bob, mallory].map((account) => ask('ft', coin, account)),
    ...[alice, bob, mallory].map((account) => ask('nft', cards, account, { tokenIds: '5' })),
  ]);
  assert.deepEqual(
    answers.map((answer) => answer.kind === 'read' && answer.amount),
    ['184467440737.09551615', '0', '0', '2', '0', '0'],
  );
  assert.deepEqual(answers[3]?.kind === 'read' && answers[3].tokens, [
    { id: '5', amount: '1' },
    { id: '18446744073709551615', amount: '1' },
  ]);
  assert.ok(answers.every((answer) => answer.kind === 'read' && answer.block?.number === String(state.sealedHeight)));
  assert.equal(requests.length, 3);
});

test('many accounts share a few scripts, and past heights are read correctly', async (t) => {
  const { reader, requests, state } = await start(t);
  const many = await reader.read(Array.from({ length: 200 }, (_, number) => ask('ft', coin, accountOf(number + 1))));
  assert.equal(many.filter((answer) => answer.kind === 'read').length, 200);
  assert.equal(requests.length, 1 + 4);
  state.past.set(10, []);
  const [past] = await reader.read([ask('ft', coin, alice, { atBlock: '10' })]);
  assert.deepEqual(past, { kind: 'read', amount: '0', block: { number: '10' } });
});

test('only an account that breaks scripts is unknown', async (t) => {
  const { reader, state } = await start(t);
  state.published.unshift({
    account: bob,
    path: 'flowTokenBalance',
    type: 'A.0000000000000002.Broken.Vault',
    isBroken: true,
  });
  const answers = await reader.read([alice, bob, mallory, accountOf(4)].map((account) => ask('ft', coin, account)));
  assert.deepEqual(
    answers.map((answer) => answer.kind),
    ['read', 'unknown', 'read', 'read'],
  );
});

test('an asset with anything but plain names never becomes part of a script', async (t) => {
  const { reader, requests } = await start(t);
  const evil = 'A.0b2a3299cc857e29.TopShot.Public.x)){}}access(all)fun evil(){//';
  for (const reference of [evil, 'A.1.TopShot.Public.path', 'TopShot', `${cards}\n`]) {
    const [answer] = await reader.read([ask('nft', reference)]);
    assert.equal(answer?.kind, 'unknown', reference);
  }
  assert.ok(requests.every(({ path }) => path === '/v1/blocks'));
});

test('whatever is wrong with the access node, the result is unknown', async (t) => {
  const { open, ...emulator } = await start(t);
  const encode = (value: unknown) => JSON.stringify(Buffer.from(JSON.stringify(value)).toString('base64'));
  const answered = (value: unknown) => (body: unknown) => (typeof body === 'string' ? encode(value) : body);
  await refuseMisbehaviour(emulator, open, [ask('ft', coin), ask('nft', cards)], {
    'another type': answered({ type: 'Int', value: '0' }),
    'accounts left out': answered({ type: 'Dictionary', value: [] }),
    'no block': (body) => (Array.isArray(body) ? [] : body),
  });
});
