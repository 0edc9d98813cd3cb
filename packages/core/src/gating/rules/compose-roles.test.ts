import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { composeRoles } from './compose-roles.ts';
import type { RoleComposition } from './rule.ts';
import type { Truth } from './truth.ts';

type Action = RoleComposition['action'];
const compose = (
  action: Action,
  roleId: string,
  condition: Record<string, boolean>,
  operator: 'and' | 'or' = 'and',
): RoleComposition => ({ action, roleId, operator, condition });
const outcome = (decided: Record<string, Truth>, compositions: RoleComposition[], held: string[] = []) =>
  Object.fromEntries(composeRoles(new Map(Object.entries(decided)), compositions, held));

describe('composing roles', () => {
  test('an action applies when its condition holds, and only two-way actions are reversed', () => {
    const cases: [Action, Truth, Truth | undefined][] = [
      ['add', 'true', 'true'],
      ['add', 'false', undefined],
      ['remove', 'true', 'false'],
      ['remove', 'false', undefined],
      ['addOrRemove', 'true', 'true'],
      ['addOrRemove', 'false', 'false'],
      ['removeOrAdd', 'true', 'false'],
      ['removeOrAdd', 'false', 'true'],
    ];
    for (const [action, member, expected] of cases) {
      assert.equal(
        outcome({ member }, [compose(action, 'vip', { member: true })]).vip,
        expected,
        `${action} ${member}`,
      );
    }
  });

  test('undecided roles count as the member currently has them', () => {
    const vip = compose('add', 'vip', { helper: true, muted: false });
    assert.equal(outcome({}, [vip], ['helper']).vip, 'true');
    assert.equal(outcome({}, [vip], ['helper', 'muted']).vip, undefined);
  });

  test('compositions that build on each other are applied in that order, however they are listed', () => {
    const first = compose('add', 'b', { a: true });
    const second = compose('add', 'c', { b: true });
    assert.deepEqual(outcome({ a: 'true' }, [second, first]), { a: 'true', b: 'true', c: 'true' });
  });

  test('roles in a cycle stay unchanged', () => {
    const circle = [compose('addOrRemove', 'a', { b: true }), compose('addOrRemove', 'b', { a: false })];
    assert.deepEqual(outcome({}, circle), { a: 'unknown', b: 'unknown' });
  });

  test('the reverse does not override what a rule or an earlier composition decided', () => {
    assert.equal(outcome({ vip: 'true', x: 'false' }, [compose('addOrRemove', 'vip', { x: true })]).vip, 'true');
    const twice = [compose('add', 'vip', { y: true }), compose('addOrRemove', 'vip', { x: true })];
    assert.equal(outcome({ x: 'false', y: 'true' }, twice).vip, 'true');
  });

  test('an unknown condition neither grants nor removes a role', () => {
    for (const action of ['add', 'remove', 'addOrRemove', 'removeOrAdd'] as const) {
      const { vip } = outcome({ x: 'unknown' }, [compose(action, 'vip', { x: true })], ['vip']);
      assert.ok(vip === 'unknown' || vip === 'true', action);
      const absent = outcome({ x: 'unknown' }, [compose(action, 'vip', { x: true })]).vip;
      assert.ok(absent === 'unknown' || absent === 'false', action);
    }
    assert.equal(outcome({ x: 'unknown', y: 'true' }, [compose('add', 'vip', { x: true, y: true }, 'or')]).vip, 'true');
  });
});
