import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Answer } from '../../ports/index.ts';
import { decideRoles, isByPassAlone, openRules, questionKey, questionsOf, readableRules } from './index.ts';
import { a, contract, erc20, evm, now, read } from './testing.ts';

const other = contract.replaceAll('1', '2');
const holds = (roleId: string, contractAddress: string) => ({ ...erc20, contractAddress, roleId });
const composition = (action: string, roleId: string, condition: Record<string, boolean>) => ({
  scheme: 'role_composition',
  roleId,
  variables: { roleComposition: { action, roleId, operator: 'and', condition } },
});

/** Evaluates for a member who holds `contract` and nothing of `other`. */
async function decide(
  definitions: readonly { roleId: string }[],
  { guestRoles = [], held = [] }: { guestRoles?: readonly string[]; held?: readonly string[] } = {},
) {
  const rows = definitions.map((definition, n) => ({ id: String(n), role_id: definition.roleId, definition }));
  const rules = openRules(rows);
  const questions = readableRules(rules).flatMap((rule) => questionsOf(rule, evm(a), { now }));
  const answers = new Map<string, Answer>(
    questions.map((question) => [questionKey(question), read(question.reference === contract ? '1' : '0')]),
  );
  return decideRoles(rules, { requestedBy: 'c', now, wallets: evm(a), answers, memberRoles: held, guestRoles });
}
const truths = async (...args: Parameters<typeof decide>) =>
  Object.fromEntries((await decide(...args)).map(({ roleId, truth }) => [roleId, truth]));

describe('the precedence of role decisions', () => {
  test('a guest pass grants a role whatever its rules decide', async () => {
    assert.deepEqual(await truths([holds('vip', other)], { guestRoles: ['vip'] }), { vip: 'true' });
  });

  test('a guest counts as a holder for compositions', async () => {
    const rules = [holds('vip', other), composition('add', 'lounge', { vip: true })];
    assert.deepEqual(await truths(rules, { guestRoles: ['vip'] }), { vip: 'true', lounge: 'true' });
    assert.deepEqual(await truths([composition('add', 'lounge', { vip: true })], { guestRoles: ['vip'] }), {
      vip: 'true',
      lounge: 'true',
    });
  });

  test('a removing composition wins, even over a guest pass', async () => {
    const rules = [holds('banned', contract), holds('vip', contract), composition('remove', 'vip', { banned: true })];
    assert.deepEqual(await truths(rules, { guestRoles: ['vip'] }), { banned: 'true', vip: 'false' });
    const [, vip] = await decide(rules, { guestRoles: ['vip'] });
    assert.deepEqual([vip?.reason.isGuest, vip?.reason.compositions?.length], [true, 1]);
  });

  test('a guest pass decides a role that no chain could', async () => {
    const unreadable = { type: 'NO_SUCH', roleId: 'vip' };
    assert.deepEqual(await truths([unreadable]), { vip: 'unknown' });
    assert.deepEqual(await truths([unreadable], { guestRoles: ['vip'] }), { vip: 'true' });
  });

  test('a role granted only by a pass is distinguished from one that something else decides', async () => {
    const rules = [holds('a', contract), composition('add', 'b', { a: true })];
    const verdicts = await decide(rules, { guestRoles: ['a', 'b', 'c'] });
    assert.deepEqual(
      verdicts.filter(({ reason }) => isByPassAlone(reason)).map(({ roleId }) => roleId),
      ['c'],
    );
  });

  test('a role that nothing decides is not in the result', async () => {
    const rules = [holds('a', other), composition('add', 'b', { held: false })];
    assert.deepEqual(await truths(rules, { held: ['held', 'b'] }), { a: 'false' });
  });
});
