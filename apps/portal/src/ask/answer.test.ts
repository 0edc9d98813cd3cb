import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEngine } from '@latchkey/server/docs-search';
import { sampleContext, sampleIndex } from '@latchkey/server/testing/docs-index';
import { answer } from './answer.ts';

const ask = async (question: string) => answer(await openEngine(sampleIndex), question, sampleContext);

test('an answer is words of the documentation, with the address where they stand', async () => {
  const found = await ask('How do I sign with a Ledger device?');
  assert.ok(found.kind === 'known');
  const [passage] = found.passages;
  assert.equal(passage?.path, '/help-docs/verify#hardware');
  assert.equal(passage?.quote.map(({ text }) => text).join(''), 'A Ledger signs through MetaMask.');
});

test('what the documentation does not speak of is not known', async () => {
  for (const question of [
    'What is the capital of France?',
    'blorptastic quux',
    'How tall is Mount Everest?',
    'Which wallet did my grandmother buy in Tokyo yesterday?',
    'how do I',
    '',
  ])
    assert.deepEqual(await ask(question), { kind: 'unknown' }, question);
});
