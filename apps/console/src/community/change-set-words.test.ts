import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeInWords, changesInWords, decisionInWords } from './change-set-words.ts';

type ChangeSet = Parameters<typeof decisionInWords>[0];

const changeSet = (values: Partial<ChangeSet>) =>
  ({
    status: 'done',
    cause: 'rule',
    grants: 2,
    revokes: 1250,
    written: { grants: 0, revokes: 0, members: 0 },
    failed: 0,
    dropReasons: [],
    restoredRuleChangeIds: [],
    decidedBy: 'DIS#USER#1',
    decidedByName: 'Ann',
    ...values,
  }) as ChangeSet;

test('what is planned, being applied and written is told apart, with the numbers of what was written', () => {
  const written = { grants: 2, revokes: 1000, members: 1002 };
  assert.equal(changesInWords(changeSet({ status: 'held' })), '1,250 roles to remove, 2 roles to give');
  assert.equal(
    changesInWords(changeSet({ status: 'applying', written })),
    '1,000 of 1,250 roles removed, 2 roles given',
  );
  assert.equal(changesInWords(changeSet({ written })), '1,000 roles removed, 2 roles given');
  assert.equal(changesInWords(changeSet({ status: 'dropped' })), 'No roles changed');
  assert.equal(
    changesInWords(changeSet({ status: 'failed', written, failed: 250 })),
    '1,000 roles removed, 2 roles given, 250 refused by the platform',
  );
});

test('a decision says who made it, and what it was', () => {
  assert.equal(decisionInWords(changeSet({})), 'Approved by Ann');
  const dropReasons = [{ reason: 'removal-rejected' as const, changes: 1250 }];
  assert.equal(decisionInWords(changeSet({ dropReasons })), 'Only the grants approved by Ann');
  assert.equal(decisionInWords(changeSet({ status: 'rejected' })), 'Rejected by Ann');
  assert.equal(
    decisionInWords(changeSet({ status: 'rejected', restoredRuleChangeIds: ['7'] })),
    'Rejected by Ann, and the rule restored',
  );
});

test('every cause is named in words, and one that this page does not know is not quoted', () => {
  const names = ['guest pass', 'join request', 'invite', 'manual-change', 'chain, wallet'];
  assert.deepEqual(
    names.map((cause) => causeInWords({ cause })),
    [
      'a guest pass',
      'an accepted join request',
      'a role invite',
      'a change by hand',
      'a token transfer and a linked or unlinked wallet',
    ],
  );
  assert.equal(causeInWords({ cause: 'new-cause, newer-cause' }), 'something else');
});
