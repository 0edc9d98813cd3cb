import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Entry, groupActivity } from './group-activity.ts';

const change = (id: number, more: Partial<Entry> = {}): Entry => ({
  id: String(id),
  time: '2026-03-29T21:30:00.000Z',
  kind: 'role-given',
  userId: `DIS#USER#${id}`,
  roleId: 'holder',
  changeSetId: 'a',
  ...more,
});
const whale = (id: number) => change(id + 10, { roleId: 'whale', userId: `DIS#USER#${id}` });
const shown = (entries: readonly Entry[], hasMore = false) =>
  groupActivity(entries, hasMore).map(({ entry, members, isCut }) => [entry.id, members, isCut]);

test('role changes of one change set are one line per role that counts members', () => {
  assert.deepEqual(shown([1, 2, 3].map((id) => change(id))), [['1', 3, false]]);
  const memberByMember = [change(1), whale(1), change(2), change(3), whale(3)];
  assert.deepEqual(shown(memberByMember), [
    ['1', 3, false],
    ['11', 2, false],
  ]);
});

test('roles that the same members get share a line, unless more of them may be on the next page', () => {
  const entries = [change(1), whale(1), change(3), whale(3)];
  const [line, ...others] = groupActivity(entries, false);
  assert.deepEqual([line?.changes.map(({ roleId }) => roleId), line?.members, others], [['holder', 'whale'], 2, []]);
  assert.deepEqual(shown(entries, true), [
    ['1', 2, true],
    ['11', 2, true],
  ]);
  const removed = entries.map((entry) =>
    entry.roleId === 'whale' ? { ...entry, kind: 'role-removed' as const } : entry,
  );
  assert.equal(shown(removed).length, 2);
});

test('several roles of one member in one change set are one line that names them', () => {
  const entries = ['holder', 'whale', 'whale'].map((roleId, n) => change(n, { roleId, userId: 'DIS#USER#1' }));
  const [line, ...others] = groupActivity(entries, false);
  assert.deepEqual([line?.changes.map(({ roleId }) => roleId), line?.members, others], [['holder', 'whale'], 1, []]);
});

test('removals, other change sets and actions are separate lines', () => {
  const entries = [
    change(1),
    change(2, { roleId: 'whale' }),
    change(3, { kind: 'role-removed' }),
    change(4, { changeSetId: 'b' }),
    change(5, { kind: 'admin-action' }),
    change(6, { kind: 'admin-action' }),
  ];
  assert.equal(shown(entries).length, entries.length);
});

test('lines of the last change set say that there may be more while there are more pages', () => {
  assert.deepEqual(shown([change(1, { roleId: 'whale' }), change(2), change(3)], true), [
    ['1', 1, false],
    ['2', 2, true],
  ]);
});
