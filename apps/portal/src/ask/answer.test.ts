import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEngine } from '@latchkey/server/docs-search';
import { sampleContext, sampleIndex } from '@latchkey/server/testing/docs-index';
import { answer } from './answer.ts';
import { isFollowUp } from './follow-up.ts';

const ask = async (question: string) => answer(await openEngine(sampleIndex), question, sampleContext);

test('an answer quotes the documentation, with its address', async () => {
  const found = await ask('How do I sign with a Ledger device?');
  assert.ok(found.kind === 'known');
  const [passage] = found.passages;
  assert.equal(passage?.path, '/help-docs/verify#hardware');
  assert.equal(passage?.text, 'A Ledger signs through MetaMask.');
});

test('what the documentation does not cover is unknown', async () => {
  for (const question of [
    'What is the capital of France?',
    'blorptastic quux',
    'How tall is Mount Everest?',
    'Which wallet did my grandmother buy in Tokyo yesterday?',
    'how do I',
    '',
  ])
    assert.equal((await ask(question)).kind, 'unknown', question);
});

test('a question without an answer comes with search results, and never with a quote', async () => {
  const found = await ask('Which wallet did my grandmother buy in Tokyo yesterday?');
  assert.ok(found.kind === 'unknown');
  assert.ok(found.near.length > 0);
  const nothing = await ask('blorptastic quux');
  assert.deepEqual(nothing, { kind: 'unknown', isNo: false, unmentioned: ['blorptastic', 'quux'], near: [] });
});

test('a yes-or-no question about what no page mentions is answered with No', async () => {
  const isNo = async (question: string) => {
    const found = await ask(question);
    return found.kind === 'unknown' && found.isNo;
  };
  for (const question of ['Can I use a Cardano wallet?', 'Cardano?', 'Does it work with Cardano?'])
    assert.equal(await isNo(question), true, question);
  for (const question of [
    'How do I verify a Cardano wallet?',
    'Can I verify my wallet?',
    'Which is the Cardano tutorial?',
  ])
    assert.equal(await isNo(question), false, question);
});

test('a name that no page mentions is what a question is about', async () => {
  assert.equal((await ask('How do I verify my wallet with Cardano?')).kind, 'unknown');
  assert.equal((await ask('How do I verify my wallet with haste?')).kind, 'known');
});

test('a name in a yes-or-no question needs no capital, but has no article', async () => {
  for (const question of ['can i verify my wallet on cardano?', 'does it work with keplr?', 'is slack supported?']) {
    const found = await ask(question);
    assert.ok(found.kind === 'unknown' && found.isNo, question);
  }
  const found = await ask('can i verify the blorptastic wallet?');
  assert.ok(found.kind !== 'unknown' || !found.isNo);
});

test('a sentence that says no is the answer to a yes-or-no question', async () => {
  const found = await ask('Does a claim need a wallet signature?');
  assert.ok(found.kind === 'known');
  assert.equal(found.denial, 'A claim never needs a wallet signature.');
  assert.equal(found.passages[0]?.path, '/dao/claim');
  const other = await ask('How do I claim with a wallet signature?');
  assert.ok(other.kind === 'known' && other.denial === undefined);
});

test('a section is found by a word of the same meaning, less surely than by the word itself', async () => {
  const engine = await openEngine(sampleIndex);
  const scores = ['hardware device', 'trezor device'].map((question) => {
    const [best] = engine.findSections(question, sampleContext).sections;
    assert.equal(best?.section.anchor, 'hardware', question);
    return best?.score ?? 0;
  });
  assert.ok((scores[0] ?? 0) > (scores[1] ?? 0));
});

test('a question of which most words are on no page is not answered from the rest', async () => {
  assert.equal((await ask('who won the wallet cup in 2018')).kind, 'unknown');
});

test('a follow-up question is about the subject of the one before', async () => {
  const engine = await openEngine(sampleIndex);
  const found = answer(engine, 'and with a Ledger?', sampleContext, 'How do I verify my wallet?');
  assert.ok(found.kind === 'known');
  assert.match(found.passages[0]?.path ?? '', /^\/help-docs\/verify/);
  for (const question of ['what about it?', 'And on Telegram?', 'why?']) assert.ok(isFollowUp(question), question);
  for (const question of ['How do I verify my wallet?', 'Where are the scopes listed in full?'])
    assert.equal(isFollowUp(question), false, question);
});
