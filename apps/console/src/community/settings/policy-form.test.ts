import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitOf, toBody, toForm } from './policy-form.ts';

test('a policy is the same after it went through the form', () => {
  const policy = {
    removalPercent: 0,
    removalsPerDay: 20,
    approvers: 2,
    quietHours: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' },
    manualChanges: 'report' as const,
    roles: [
      { roleId: '1', removalCount: 3, approvesGrants: true },
      { roleId: '2', approvesGrants: false, manualChanges: 'leave' as const },
    ],
  };
  assert.deepEqual(toBody(toForm(policy)), policy);
});

test('an empty limit is the default, and not zero', () => {
  assert.deepEqual(toBody(toForm({ approvers: 1, roles: [] })), { approvers: 1, roles: [] });
  assert.deepEqual([limitOf(''), limitOf(0), limitOf('5'), limitOf('-')], [undefined, 0, 5, undefined]);
});

test('quiet hours that begin when they end cannot be saved', () => {
  const form = { ...toForm({ approvers: 1, roles: [] }), isQuiet: true, from: '22:00', to: '22:00' };
  assert.equal(toBody(form), undefined);
  assert.equal(toBody({ ...form, isQuiet: false })?.quietHours, undefined);
});
