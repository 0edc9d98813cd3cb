import { choice, op, record, T, text, type ValueOf } from '@latchkey/kernel';
import { communityAdmin, ownCommunity } from '../../communities/access/index.ts';
import { maxRules, selectRules } from '../../communities/rule-records/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { assetsOf, openRules } from '../evaluation/index.ts';
import { plainName, readTokenNames } from '../naming/index.ts';
import { analyzeRules, type Finding, type Names, problemInWords } from '../rule-analysis/index.ts';
import {
  assertionInWords,
  assetsIn,
  checkAssertions,
  RuleAssertion,
  selectAssertions,
  toAssertion,
} from '../rule-assertions/index.ts';
import { roleNamer, rolesOf } from './words.ts';

const kinds = [
  'impossible',
  'always-met',
  'redundant',
  'shadowed',
  'no-effect',
  'contradictory',
  'cyclic',
  'too-large',
] as const satisfies readonly Finding['kind'][];

/** A rule can have several conditions without effect. */
const mostFindings = 10 * maxRules;

const RuleFinding = record('RuleFinding', 'Something about the rules that is proven, or was too large to prove.', {
  kind: choice(
    'impossible: no member can meet the rule. always-met: every member with a wallet meets it. redundant: other rules for its role admit everyone it admits. shadowed: role compositions decide its role anyway. no-effect: one of its conditions can be left out. contradictory: one composition gives a role and another removes it from the same members. cyclic: roles depend on each other. too-large: too large to prove anything.',
    kinds,
  ),
  ruleId: T.Optional(text('The rule; absent for findings about roles.')),
  ruleName: T.Optional(text('What the rule is called; absent if it has no name.')),
  roleIds: T.Optional(
    T.Array(text('The id of a role.'), { description: 'The roles, for findings about roles.', maxItems: maxRules }),
  ),
  sentence: text('The finding in one sentence, with an example where there is one.', { maxLength: 100_000 }),
});

const CheckedAssertion = record('CheckedAssertion', 'An assertion, and whether the rules keep it.', {
  assertion: RuleAssertion,
  state: choice('unproven: the rules are too large to prove it, so no rule can be saved.', [
    'holds',
    'broken',
    'unproven',
  ] as const),
  sentence: text('The state in one sentence, with an example where there is one.', { maxLength: 100_000 }),
});

const RuleAnalysis = record('RuleAnalysis', 'What is proven about the rules of a community, for any wallet.', {
  findings: T.Array(RuleFinding, { description: 'In the order of the rules.', maxItems: mostFindings }),
  assertions: T.Array(CheckedAssertion, { description: 'In their order.', maxItems: 100 }),
});

export const ruleAnalysisOperations = [
  op(
    'GET /latchkey/communities/{communityId}/rule-analysis',
    {
      id: 'analyzeRules',
      summary: 'Analyze rules',
      description:
        'Returns what follows from a community’s rules alone, for any wallet and not only for today’s members: rules that no member can meet, that have no effect or that contradict each other, and whether its assertions hold. Every finding is a proof. What is too large to prove is named. Reads no wallets. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: RuleAnalysis,
    },
    getRuleAnalysis,
  ),
] as const;

function named(name: unknown) {
  return typeof name === 'string' && name !== '' ? { ruleName: name } : {};
}

const states = { proven: 'holds', disproven: 'broken', unproven: 'unproven' } as const;

export async function getRuleAnalysis(
  ctx: Context,
  { communityId }: { communityId: string },
): Promise<ValueOf<typeof RuleAnalysis>> {
  const community = await ownCommunity(ctx, communityId);
  const saved = await selectRules(ctx.db.system, community.id);
  const assertions = await selectAssertions(ctx.db.system, community.id);
  const set = openRules(saved);
  const nameOf = (id: string) => saved.find((row) => row.id === id)?.definition.name;
  const names: Names = {
    role: roleNamer(await rolesOf(ctx, community)),
    rule: (id) => `“${plainName(String(nameOf(id) ?? id))}”`,
    token: await readTokenNames(ctx, [...assetsOf(set), ...assertions.flatMap(assetsIn)], { asks: false }),
  };
  const findings = await analyzeRules(set);
  return {
    findings: findings.slice(0, mostFindings).map((finding) => ({
      kind: finding.kind,
      ...('ruleId' in finding && { ruleId: finding.ruleId, ...named(nameOf(finding.ruleId)) }),
      ...('roleIds' in finding && { roleIds: finding.roleIds }),
      ...(!('ruleId' in finding) && 'roleId' in finding && { roleIds: [finding.roleId] }),
      sentence: problemInWords(finding, names),
    })),
    assertions: (await checkAssertions(set, assertions)).map(({ row, answer }) => ({
      assertion: toAssertion(row),
      state: states[answer.kind],
      sentence: assertionInWords(row, answer, names),
    })),
  };
}
