import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quietUntil, toPolicy } from './policy.ts';

const defaults = { share: 0.05, count: 10, perDay: 100 };
const row = {
  community_id: 'DIS#COMM#1',
  removal_percent: 20,
  removal_count: null,
  removals_per_day: null,
  approvers: 2,
  quiet_from: null,
  quiet_to: null,
  quiet_time_zone: null,
  manual_changes: 'report' as const,
};

test('a missing limit of a role is that of the community, and then that of the operator', () => {
  const role = {
    community_id: row.community_id,
    role_id: 'vip',
    removal_percent: null,
    removal_count: null,
    removals_per_day: 0,
    holds_grants: true,
    manual_changes: 'correct' as const,
  };
  const policy = toPolicy(defaults, row, [role]);
  assert.deepEqual(policy.limitsOf('vip'), { share: 0.2, count: 10, perDay: 0 });
  assert.deepEqual(policy.limitsOf('other'), { share: 0.2, count: 10, perDay: 100 });
  assert.deepEqual([policy.needsApprovalToGrant('vip'), policy.needsApprovalToGrant('other')], [true, false]);
  assert.deepEqual(toPolicy(defaults, undefined, []).limits, defaults);
  assert.deepEqual([policy.manualChangesOf('vip'), policy.manualChangesOf('other')], ['correct', 'report']);
  assert.equal(toPolicy(defaults, undefined, []).manualChangesOf('vip'), 'leave');
});

test('quiet hours end on the same day, or after midnight, in their own time zone', () => {
  const endOf = (from: number, to: number, now: string, timeZone = 'UTC') =>
    quietUntil({ from, to, timeZone }, new Date(now))?.toISOString();
  assert.equal(endOf(60, 120, '2026-01-05T01:30:40Z'), '2026-01-05T02:00:00.000Z');
  assert.equal(endOf(60, 120, '2026-01-05T02:00:00Z'), undefined);
  assert.equal(endOf(60, 120, '2026-01-05T00:59:59Z'), undefined);
  assert.equal(endOf(22 * 60, 7 * 60, '2026-01-05T23:00:00Z'), '2026-01-06T07:00:00.000Z');
  assert.equal(endOf(22 * 60, 7 * 60, '2026-01-05T03:00:00Z'), '2026-01-05T07:00:00.000Z');
  assert.equal(endOf(22 * 60, 7 * 60, '2026-01-05T21:30:00Z', 'Europe/Berlin'), '2026-01-06T06:00:00.000Z');
  assert.equal(quietUntil(undefined, new Date()), undefined);
});

test('quiet hours in which the clocks change end at the local wall clock time', () => {
  const night = { from: 22 * 60, to: 7 * 60, timeZone: 'Europe/Berlin' };
  // In Berlin, clocks go from 2:00 to 3:00 on 29 March 2026, and from 3:00 back to 2:00 on 25 October.
  assert.equal(quietUntil(night, new Date('2026-03-28T22:00:00Z'))?.toISOString(), '2026-03-29T05:00:00.000Z');
  assert.equal(quietUntil(night, new Date('2026-10-24T21:00:00Z'))?.toISOString(), '2026-10-25T06:00:00.000Z');
});
