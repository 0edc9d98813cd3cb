import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedNumber, volume } from '@latchkey/test-kit';
import type { Answer } from '../../ports/index.ts';
import { decideRoles } from '../evaluation/index.ts';
import { questionKey, questionsOf, type RuleWallet } from '../rules/index.ts';
import { analyzeRules, compareRules } from './index.ts';
import { amounts, type Draw, drawFrom, open, pick, randomPair, roles } from './testing/random-rules.ts';

/** A random member. The evaluator decides every role of a rule set for them. What was held for long is at most what is held now. */
function randomMember(draw: Draw) {
  const wallets: RuleWallet[] = Array.from({ length: draw(4) }, (_, index) => ({
    namespace: 'evm',
    address: `0x${String(index + 1).repeat(40)}`,
    ...(draw(4) === 0 && { contractChain: 'evm:10' }),
  }));
  const memberRoles = roles.filter(() => draw(2) === 0);
  const held = new Map<string, string>();
  const heldAt = (key: string, isWhole: boolean) => {
    const known = held.get(key) ?? pick(draw, isWhole ? ['0', '1', '2', '3', '5'] : [...amounts, '5']);
    held.set(key, known);
    return known;
  };
  const now = new Date(0);
  return async (rules: ReturnType<typeof open>) => {
    const answers = new Map<string, Answer>();
    for (const opened of rules.rules)
      if ('rule' in opened)
        for (const question of questionsOf(opened.rule, wallets, { now, answers })) {
          const { chain, standard, reference, account, leastSince } = question;
          const isWhole = standard === 'erc721';
          const key = `${chain} ${standard} ${reference} ${account}`;
          const present = heldAt(key, isWhole);
          const amount = leastSince === undefined || heldAt(`${key} for long`, true) > '1' ? present : '0';
          answers.set(questionKey(question), { kind: 'read', amount });
        }
    const verdicts = await decideRoles(rules, {
      now,
      wallets,
      answers,
      memberRoles,
      guestRoles: [],
      requestedBy: 'test',
    });
    return new Map(verdicts.map(({ roleId, truth }) => [roleId, truth]));
  };
}

test('what is proven about random rules holds for random members', async (t) => {
  const pairs = volume(300, 10_000);
  const first = seedNumber('rule analysis');
  const seen = { proven: 0, disproven: 0, unproven: 0 };
  let impossible = 0;
  for (let seed = first; seed < first + pairs; seed += 1) {
    const draw = drawFrom(seed);
    const { before, after } = randomPair(draw);
    const [old, edited] = [open(before), open(after)];
    const comparisons = await compareRules(old, edited);
    for (const { noGains, noLosses } of comparisons) for (const answer of [noGains, noLosses]) seen[answer.kind] += 1;
    const problems = await analyzeRules(edited);
    impossible += problems.filter(({ kind }) => kind === 'impossible').length;
    for (let n = 0; n < 20; n += 1) {
      const decide = randomMember(draw);
      const [then, now] = [await decide(old), await decide(edited)];
      for (const { roleId, noGains, noLosses } of comparisons) {
        const [had, has] = [then.get(roleId) === 'true', now.get(roleId) === 'true'];
        if (noGains.kind === 'proven') assert.ok(had || !has, `seed ${seed}: a member gains ${roleId}`);
        if (noLosses.kind === 'proven') assert.ok(has || !had, `seed ${seed}: a member loses ${roleId}`);
      }
      for (const problem of problems) {
        if (problem.kind !== 'impossible' && problem.kind !== 'redundant') continue;
        const rest = open(after.filter((_, index) => `rule-${index}` !== problem.ruleId));
        const without = await decide(rest);
        for (const [roleId, truth] of now)
          assert.equal(
            truth === 'true',
            without.get(roleId) === 'true',
            `seed ${seed}: ${problem.kind} ${problem.ruleId}`,
          );
      }
    }
  }
  t.diagnostic(`${pairs} pairs from seed ${first}: ${JSON.stringify(seen)}, ${impossible} impossible rules`);
  // A prover that gives up, or a generator of strangers alone, would show nothing.
  assert.ok(seen.proven > pairs / 2 && seen.disproven > pairs / 2 && impossible > 0, JSON.stringify(seen));
  assert.ok(seen.unproven < (seen.proven + seen.disproven) / 10, JSON.stringify(seen));
});
