import assert from 'node:assert/strict';
import { test } from 'node:test';
import { t } from '../messages/index.ts';
import { diffSentences, type RuleEdit, ruleEditOf, titleOf, waitingOf } from './title.ts';

type Details = Parameters<typeof titleOf>[0];
type Share = Details['shares'][number];

const details = (cause: string, status: Details['changeSet']['status'], ...shares: Partial<Share>[]): Details => ({
  changeSet: { cause, status } as Details['changeSet'],
  shares: shares.map((share) => ({
    roleId: '1',
    roleName: 'Supporter',
    action: 'revoke',
    members: 25,
    waiting: 25,
    written: 0,
    ...share,
  })),
});

const edit = (before: string | undefined, after: string | undefined): RuleEdit => ({
  action: before === undefined ? 'created' : after === undefined ? 'removed' : 'changed',
  ...(before !== undefined && { before: { sentence: before } }),
  ...(after !== undefined && { after: { sentence: after } }),
  changedBy: 'DIS#USER#1',
  changedTime: '2026-01-01T00:00:00.000Z',
});

const need = (amount: string) => `To get Supporter, a member needs at least ${amount} COIN on Ethereum.`;

test('a changed amount is the title, with its unit', () => {
  assert.equal(
    titleOf(details('rule', 'held', {}), edit(need('100'), need('1,000,000'))),
    'Supporter: 100 → 1,000,000 COIN',
  );
});

test('an edit that does not fit into a title is named by what it does', () => {
  const other = `To get Supporter, a member needs ${'a very long list of things '.repeat(5)}.`;
  assert.equal(
    titleOf(details('rule', 'held', {}), edit(need('100'), other)),
    'Rule changed: 25 members lose Supporter',
  );
  assert.equal(
    titleOf(details('rule', 'held', { action: 'grant' }), edit(undefined, other)),
    'New rule: 25 members gain Supporter',
  );
});

test('without a rule edit, the cause and the effect are the title', () => {
  assert.equal(
    titleOf(details('schedule', 'held', {}, { roleName: 'VIP', action: 'grant', members: 1 })),
    'Scheduled re-check: 25 members lose Supporter, 1 gains VIP',
  );
  assert.equal(titleOf(details('schedule, wallet', 'held', {})), 'Re-check: 25 members lose Supporter');
});

test('a finished change set counts what was written', () => {
  assert.equal(titleOf(details('schedule', 'done', { written: 3 })), 'Scheduled re-check: 3 members lose Supporter');
  assert.equal(titleOf(details('schedule', 'dropped', {})), 'Scheduled re-check: no role changes');
});

test('an undo that restored a rule is called an undo', () => {
  const undo = details('undo', 'done', { action: 'grant', written: 25 });
  assert.equal(titleOf(undo, edit(need('1,000,000'), need('100'))), 'Undo: 25 members gain Supporter');
});

test('long role names and many roles are shortened', () => {
  const many = Array.from({ length: 5 }, (_, n) => ({ roleName: n === 0 ? 'W'.repeat(4000) : `R${n}` }));
  const title = titleOf(details('schedule', 'held', ...many));
  assert.match(title, /W…, 25 lose R1, 3 more roles$/);
  assert.ok(title.length < 130, title);
});

test('several edits of a rule are shown as one', () => {
  const change = (id: string, before: string, after: string) => ({
    id,
    action: 'changed' as const,
    changedBy: 'DIS#USER#1',
    changedTime: '2026-01-01T00:00:00.000Z',
    before: { sentence: before, visibility: 'public' as const, rule: {} },
    after: { sentence: after, visibility: 'public' as const, rule: {} },
  });
  const history = [change('4', 'c', 'd'), change('3', 'b', 'c'), change('2', 'a', 'b')];
  const found = ruleEditOf(history, ['2', '3']);
  assert.deepEqual([found?.before?.sentence, found?.after?.sentence], ['a', 'c']);
  assert.equal(ruleEditOf(history, ['9']), undefined);
});

test('sentences are compared by whole words, also when one contains the other', () => {
  assert.deepEqual(diffSentences('a b c', 'a b b c'), { start: 'a b', removed: '', added: 'b', end: 'c' });
  assert.deepEqual(diffSentences('same', 'same'), { start: 'same', removed: '', added: '', end: '' });
});

test('what waits for approval is counted in words', () => {
  const approve = (...shares: Partial<Share>[]) =>
    t('decide.approve', waitingOf(details('rule', 'held', ...shares).shares));
  assert.equal(approve({}), 'Approve 25 removals');
  assert.equal(approve({ action: 'grant', waiting: 1200 }), 'Approve 1,200 grants');
  assert.equal(approve({}, { action: 'grant', waiting: 1 }), 'Approve 25 removals and 1 grant');
  assert.equal(approve(), 'Approve');
});
