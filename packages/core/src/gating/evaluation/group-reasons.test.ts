import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReasonGroups } from './group-reasons.ts';

const names = {
  role: () => 'Holder',
  rule: () => 'Coins',
  visibility: () => 'public' as const,
  token: () => 'COIN',
};

const leaf = (needed: string, held: readonly string[], truth = 'false') => ({
  kind: 'leaf',
  truth,
  rule: 'ERC20',
  asset: 'evm:1/ERC20:0xaa',
  needed,
  readings: held.map((value) => ({ wallet: '0xbb', chain: 'evm:1', truth, value })),
});
const reasonOf = (reason: unknown, truth = 'false') => ({ truth, rules: [{ id: 'TPC#1', truth, reason }] });

function group(changes: readonly { action?: 'grant' | 'revoke'; reason: unknown }[]) {
  const groups = createReasonGroups(names);
  for (const { action = 'revoke', reason } of changes) groups.add({ roleId: '1', action, reason });
  return groups.list();
}
const losing = (needed: string, ...amounts: readonly string[][]) =>
  group(amounts.map((held) => ({ reason: reasonOf(leaf(needed, held)) })));
const foundOf = (groups: ReturnType<typeof group>) =>
  groups.flatMap(({ conditions }) => conditions.flatMap(({ found }) => found));

describe('reasons of many changes', () => {
  it('members who lack the same thing are one group, with what was found instead', () => {
    const groups = group([
      { action: 'grant', reason: reasonOf(leaf('at least 5', ['7'], 'true'), 'true') },
      ...['123.4', '9437', '500', '501', '2000'].map((held) => ({
        reason: reasonOf(leaf('at least 1000000', [held])),
      })),
      { reason: reasonOf(leaf('at least 1000000', ['0.0'])) },
      { reason: reasonOf(leaf('at least 1000000', [])) },
    ]);
    assert.deepEqual(foundOf(groups), [
      '5 members hold 120–9,400 COIN; 1,000,000 needed.',
      '1 member holds none.',
      '1 member has no linked wallet that can hold it.',
    ]);
  });

  it('the largest group is first, and grants are apart from removals', () => {
    const has = reasonOf(leaf('at least 5', ['7'], 'true'), 'true');
    const needs = reasonOf(leaf('at least 1000000', ['7']));
    const groups = group([{ action: 'grant', reason: has }, { reason: needs }, { reason: needs }]);
    assert.deepEqual(
      groups.map(({ action, members, why }) => [action, members, why]),
      [
        ['revoke', 2, 'needs at least 1,000,000 COIN'],
        ['grant', 1, 'has at least 5 COIN'],
      ],
    );
  });

  it('a range over few members is not shown, since it comes close to an exact balance', () => {
    assert.deepEqual(foundOf(losing('at least 10', ['1'], ['2'], ['3'], ['4'])), [
      '4 members hold some, but not enough.',
    ]);
  });

  it('rounding never moves an amount across what is needed', () => {
    const five = (amount: string) => Array.from({ length: 5 }, () => [amount]);
    assert.deepEqual(foundOf(losing('at least 1000', ...five('999.9'))), ['5 members hold 990 COIN; 1,000 needed.']);
    assert.deepEqual(foundOf(losing('from 1 to 1234', ...five('1236'))), [
      '5 members hold 1,300 COIN; 1 to 1,234 needed.',
    ]);
    assert.deepEqual(foundOf(losing('at least 2, for 86400 seconds', ...five('3.5'))), [
      '5 members hold 3.5 COIN; at least 2 COIN, for 1 day needed.',
    ]);
    assert.deepEqual(foundOf(losing('at least 1', ...five('0.00012345'))), ['5 members hold 0.00012 COIN; 1 needed.']);
  });

  it('of several conditions those count that decided, each with what was found', () => {
    const and = { kind: 'and', truth: 'false', parts: [leaf('at least 5', ['7'], 'true'), leaf('at least 9', ['0'])] };
    const [only] = group([{ reason: reasonOf(and) }]);
    assert.deepEqual(
      [only?.why, only?.conditions],
      ['needs at least 9 COIN', [{ need: 'at least 9 COIN', found: ['1 member holds none.'] }]],
    );
  });

  it('reasons without conditions, and negated ones, are grouped by their sentences', () => {
    const not = { kind: 'not', truth: 'false', parts: [leaf('at least 5', ['7'], 'true')] };
    assert.deepEqual(
      group([
        { reason: reasonOf(not) },
        { reason: { truth: 'false', rules: [], isRuleDeleted: true } },
        { reason: null },
        { reason: { truth: 'true', rules: [], isGuest: true }, action: 'grant' },
      ]).map(({ why, conditions }) => [why, conditions.length]),
      [
        ['needs none of these: at least 5 COIN', 0],
        ['An admin deleted the rule that gave this role.', 0],
        ['No reason is recorded.', 0],
        ['A guest pass gives the member this role.', 0],
      ],
    );
  });
});
