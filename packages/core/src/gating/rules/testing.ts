import assert from 'node:assert/strict';
import type { Answer, HeldToken, Question } from '../../ports/index.ts';
import { costOf, type DecideInput, decide, questionKey, questionsOf, type RuleWallet, readRule } from './index.ts';

export const contract = `0x${'1'.repeat(40)}`;
export const now = new Date('2026-01-15T12:00:30Z');
export const a = `0x${'a'.repeat(40)}`;
export const b = `0x${'b'.repeat(40)}`;
export const vault = `0x${'c'.repeat(40)}`;
export const evm = (...addresses: string[]): RuleWallet[] =>
  addresses.map((address) => ({ namespace: 'evm', address }));
export const erc20 = { type: 'ERC20', chainId: 1, contractAddress: contract };
const block = { number: '100' };
export const read = (amount: string, tokens?: HeldToken[]): Answer => ({
  kind: 'read',
  amount,
  block,
  ...(tokens && { tokens }),
});
export const down: Answer = { kind: 'unknown', reason: 'The node is down.' };

/** Decides a rule as a caller does: reads until there are no more questions. */
export async function look(
  definition: unknown,
  wallets: readonly RuleWallet[],
  answer: (question: Question) => Answer,
  more: Partial<DecideInput> = {},
) {
  const rule = readRule(definition);
  const answers = new Map<string, Answer>();
  for (;;) {
    const questions = questionsOf(rule, wallets, { now, ...more, answers });
    if (questions.length === 0) break;
    for (const question of questions) answers.set(questionKey(question), answer(question));
  }
  assert.ok(answers.size <= costOf(rule, wallets), 'the reads exceed the cost that was shown');
  const decision = await decide(rule, { now, wallets, answers, ...more });
  assert.deepEqual(JSON.parse(JSON.stringify(decision)), decision);
  return decision;
}
export const byAccount = (amounts: Record<string, string | Answer>) => (question: Question) => {
  const amount = amounts[question.account] ?? '0';
  return typeof amount === 'string' ? read(amount) : amount;
};
