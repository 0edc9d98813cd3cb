import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedNumber, volume } from '@latchkey/test-kit';
import type { Answer } from '../../ports/index.ts';
import { decideRoles, openRules } from '../evaluation/index.ts';
import { questionKey, questionsOf, type RuleWallet } from '../rules/index.ts';
import { compareRules, findProblems } from './index.ts';

const roles = ['a', 'b', 'c'];
const contracts = ['1', '2'].map((digit) => `0x${digit.repeat(40)}`);
const amounts = ['0', '0.5', '1', '1.5', '2', '2.5', '3', '4'];

type Draw = (below: number) => number;

function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    state = Math.imul(state ^ (state >>> 13), 0x297a2d39) >>> 0;
    return ((state ^ (state >>> 16)) >>> 0) % below;
  };
}

const pick = <Item>(draw: Draw, items: readonly Item[]): Item => items[draw(items.length)] as Item;

function randomLeaf(draw: Draw): object {
  const isCoin = draw(2) === 0;
  const some = isCoin ? amounts : ['0', '1', '2', '3', '4'];
  const [least = '0', most = '0'] = [pick(draw, some), pick(draw, some)].toSorted((a, b) => Number(a) - Number(b));
  return {
    type: isCoin ? 'ERC20' : 'ERC721',
    chainId: pick(draw, [1, 1, 10]),
    contractAddress: pick(draw, contracts),
    minToken: least,
    ...(draw(3) === 0 && { maxToken: most }),
    variables: { ...(draw(3) === 0 && { _sumWallets: true }), ...(draw(6) === 0 && { _heldForSeconds: 86_400 }) },
  };
}

function randomTree(draw: Draw, depth: number): object {
  if (depth === 0 || draw(3) === 0) return randomLeaf(draw);
  const parts = Array.from({ length: 1 + draw(3) }, () => randomTree(draw, depth - 1));
  switch (draw(4)) {
    case 0:
      return { and: parts };
    case 1:
      return { or: parts };
    case 2:
      return { not: parts[0] };
    default:
      return { atLeast: 1 + draw(parts.length), of: parts };
  }
}

function randomRule(draw: Draw): object {
  const roleId = pick(draw, roles);
  if (draw(4) > 0) return { scheme: 'logic', roleId, variables: { rule: randomTree(draw, 2) } };
  const action = pick(draw, ['add', 'remove', 'addOrRemove', 'removeOrAdd']);
  const others = roles.filter((id) => id !== roleId);
  const condition = Object.fromEntries([pick(draw, others), pick(draw, others)].map((id) => [id, draw(2) === 0]));
  const roleComposition = { action, roleId, operator: pick(draw, ['and', 'or']), condition };
  return { scheme: 'role_composition', roleId, variables: { roleComposition } };
}

function open(definitions: readonly object[]) {
  return openRules(
    definitions.map((definition, index) => ({
      id: `rule-${index}`,
      role_id: (definition as { roleId: string }).roleId,
      definition: definition as Record<string, unknown>,
    })),
  );
}

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
    const verdicts = await decideRoles(rules, { now, wallets, answers, memberRoles, guestRoles: [], askedBy: 'test' });
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
    const before = Array.from({ length: 1 + draw(3) }, () => randomRule(draw));
    // Half of the pairs are small edits, about which more can be proven than about strangers.
    const after =
      draw(2) === 0
        ? [...before.slice(1), randomRule(draw)]
        : Array.from({ length: 1 + draw(3) }, () => randomRule(draw));
    const [old, edited] = [open(before), open(after)];
    const comparisons = await compareRules(old, edited);
    for (const { noGains, noLosses } of comparisons) for (const answer of [noGains, noLosses]) seen[answer.kind] += 1;
    const problems = findProblems(edited);
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
