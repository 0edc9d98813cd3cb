import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedNumber, volume } from '@latchkey/test-kit';
import type { Answer } from '../../ports/index.ts';
import { decideRoles } from '../evaluation/index.ts';
import { questionKey, questionsOf, type RuleWallet, readRule, type Truth } from '../rules/index.ts';
import { analyzeRules, compareRules, type Finding, proveRequired } from './index.ts';
import { type Draw, drawFrom, open, pick, randomPair, randomTree, roles } from './testing/random-rules.ts';

const contract = `0x${'1'.repeat(40)}`;

function cats(draw: Draw): object {
  const [least = 0, most = 0] = [draw(4), draw(4)].toSorted((a, b) => a - b);
  const bounds = { minToken: String(least), ...(draw(2) === 0 && { maxToken: String(most) }) };
  return { type: 'ERC721', chainId: 1, contractAddress: contract, variables: {}, ...bounds };
}

interface Member {
  wallets: RuleWallet[];
  amountOf: ReadonlyMap<string, string>;
  memberRoles: string[];
}

const subsetsOf = <Item>(items: readonly Item[]): Item[][] =>
  items.reduce<Item[][]>((subsets, item) => subsets.flatMap((subset) => [subset, [...subset, item]]), [[]]);

/** Rules about one collection, with bounds from 0 to 3, cannot tell any other members apart. */
const everyMember: Member[] = subsetsOf([0, 1, 2, 3, 4]).flatMap((amounts) =>
  subsetsOf(roles).map((memberRoles) => {
    const amountOf = new Map(amounts.map((amount) => [`0x${String(amount + 1).repeat(40)}`, String(amount)]));
    return { wallets: [...amountOf.keys()].map((address) => ({ namespace: 'evm', address })), amountOf, memberRoles };
  }),
);

/** The same for rules that do not ask for roles. */
const everyHolder = everyMember.filter(({ memberRoles }) => memberRoles.length === 0);

async function decideFor(
  { wallets, amountOf, memberRoles }: Member,
  rules: ReturnType<typeof open>,
): Promise<(roleId: string) => Truth | undefined> {
  const now = new Date(0);
  const answers = new Map<string, Answer>();
  for (const opened of rules.rules)
    if ('rule' in opened)
      for (const question of questionsOf(opened.rule, wallets, { now, answers }))
        answers.set(questionKey(question), { kind: 'read', amount: amountOf.get(question.account) ?? '0' });
  const subject = { now, wallets, answers, memberRoles, guestRoles: [], requestedBy: 'test' };
  const verdicts = await decideRoles(rules, subject);
  return (roleId) => verdicts.find((verdict) => verdict.roleId === roleId)?.truth;
}

/** Whether the evaluator finds a member for whom something is true. */
async function someMember(test: (member: Member) => Promise<boolean>, members = everyMember): Promise<boolean> {
  for (const member of members) if (await test(member)) return true;
  return false;
}

const alone = (tree: object) => open([{ scheme: 'logic', roleId: 'alone', variables: { rule: tree } }]);
const isGiven = async (member: Member, rules: ReturnType<typeof open>, roleId: string) =>
  (await decideFor(member, rules))(roleId) === 'true';

test('about few enough members the answers are those of asking every one of them', async (t) => {
  const pairs = volume(25, 1_000);
  const first = seedNumber('every member');
  const seen = { proven: 0, disproven: 0 };
  const found = new Map<string, number>();
  for (let seed = first; seed < first + pairs; seed += 1) {
    const draw = drawFrom(seed);
    const { before, after } = randomPair(draw, cats);
    const [old, edited] = [open(before), open(after)];
    const expect = async (answer: { kind: string }, what: string, disproves: (member: Member) => Promise<boolean>) => {
      const kind = (await someMember(disproves)) ? 'disproven' : 'proven';
      assert.equal(answer.kind, kind, `seed ${seed}: ${what}`);
      seen[kind] += 1;
    };
    const [role, other] = [pick(draw, roles), pick(draw, roles)];
    const [compared] = await compareRules(old, edited, { roleId: role });
    assert.ok(compared !== undefined);
    await expect(compared.noGains, `gains ${role}`, async (member) => {
      return (await isGiven(member, edited, role)) && !(await isGiven(member, old, role));
    });
    await expect(compared.noLosses, `loses ${role}`, async (member) => {
      return (await isGiven(member, old, role)) && !(await isGiven(member, edited, role));
    });
    const holds = randomTree(draw, 1, cats);
    const { condition } = readRule({ scheme: 'logic', variables: { rule: holds } });
    await expect(await proveRequired(edited, role, { condition }), `${role} without a condition`, async (member) => {
      return (await isGiven(member, edited, role)) && !(await isGiven(member, alone(holds), 'alone'));
    });
    await expect(await proveRequired(edited, role, { roleId: other }), `${role} without ${other}`, async (member) => {
      const truthOf = await decideFor(member, edited);
      const has = truthOf(other) ?? (member.memberRoles.includes(other) ? 'true' : 'false');
      return truthOf(role) === 'true' && has !== 'true';
    });
    const findings = await analyzeRules(edited);
    for (const { kind } of findings) found.set(kind, 1 + (found.get(kind) ?? 0));
    for (const [index, definition] of after.entries())
      await checkFindings(after, index, definition as Definition, findings, `seed ${seed}`);
  }
  t.diagnostic(`${pairs} pairs from seed ${first}: ${JSON.stringify({ ...seen, ...Object.fromEntries(found) })}`);
  assert.ok(seen.proven > pairs / 2 && seen.disproven > pairs / 2, JSON.stringify(seen));
  for (const kind of ['always-met', 'redundant', 'no-effect']) assert.ok(found.has(kind), `no rule was ${kind}`);
});

interface Definition {
  scheme: string;
  roleId: string;
  variables: { rule: object };
}

/** Holds what is said about one rule against all members. */
async function checkFindings(
  set: readonly object[],
  index: number,
  definition: Definition,
  findings: readonly Finding[],
  where: string,
): Promise<void> {
  if (definition.scheme !== 'logic') return;
  const about = findings.filter((finding) => 'ruleId' in finding && finding.ruleId === `rule-${index}`);
  const has = (kind: Finding['kind']) => about.some((finding) => finding.kind === kind);
  const rule = alone(definition.variables.rule);
  const isMet = (member: Member) => isGiven(member, rule, 'alone');
  assert.equal(has('impossible'), !(await someMember(isMet, everyHolder)), `${where}: impossible`);
  const isMissed = await someMember(async (member) => member.wallets.length > 0 && !(await isMet(member)), everyHolder);
  assert.equal(has('always-met'), !isMissed, `${where}: always met`);
  for (const finding of about) {
    if (finding.kind === 'redundant') {
      const others = open(set.filter((_, other) => finding.otherRuleIds.includes(`rule-${other}`)));
      const isNew = async (member: Member) =>
        (await isMet(member)) && !(await isGiven(member, others, definition.roleId));
      assert.ok(!(await someMember(isNew, everyHolder)), `${where}: redundant`);
    }
    if (finding.kind === 'shadowed') {
      const never = { ...definition, variables: { rule: { not: { or: [cat, { not: cat }] } } } };
      const without = open(set.with(index, never));
      const [usual, roleId] = [open(set), definition.roleId];
      const isOther = async (member: Member) =>
        (await isGiven(member, usual, roleId)) !== (await isGiven(member, without, roleId));
      assert.ok(!(await someMember(isOther)), `${where}: shadowed`);
    }
    if (finding.kind === 'no-effect') {
      const shorter = alone(withoutPart(definition.variables.rule, finding.path));
      const isOther = async (member: Member) => (await isMet(member)) !== (await isGiven(member, shorter, 'alone'));
      assert.ok(!(await someMember(isOther, everyHolder)), `${where}: no effect at ${finding.path.join('.')}`);
    }
  }
}

const cat = { type: 'ERC721', chainId: 1, contractAddress: contract, minToken: '1', variables: {} };

/** A tree without the part that a path leads to. */
function withoutPart(tree: object, [index = 0, ...rest]: readonly number[]): object {
  const [[key, inside] = ['', tree]] = Object.entries(tree).filter(([name]) => name !== 'atLeast');
  if (!Array.isArray(inside)) return { ...tree, [key]: withoutPart(inside, rest) };
  const parts: object[] = inside;
  const changed =
    rest.length === 0 ? parts.toSpliced(index, 1) : parts.with(index, withoutPart(parts[index] ?? {}, rest));
  return { ...tree, [key]: changed };
}
