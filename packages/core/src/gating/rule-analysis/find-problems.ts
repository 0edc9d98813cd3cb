import type { OpenRules } from '../evaluation/index.ts';
import type { Condition, RoleComposition } from '../rules/index.ts';
import { type Bdd, BddManager, TooLarge } from './bdd.ts';
import type { Encoding } from './encode.ts';
import { type AnalysisOptions, Prover, type Size, sizeOf, usualSteps } from './prove.ts';
import type { Example } from './replay.ts';
import { conditionsOf, findCycle, givesRole, hasUnreadable, partFor, RoleFunctions } from './role-functions.ts';
import { shareEffort } from './share-effort.ts';

export type Finding =
  /** No member can meet the rule. */
  | { kind: 'impossible'; ruleId: string }
  /** Every member with a wallet on the rule's chains meets it. */
  | { kind: 'always-met'; ruleId: string }
  /** Everyone who meets the rule meets one of these, which give the same role. */
  | { kind: 'redundant'; ruleId: string; otherRuleIds: string[] }
  /** Compositions decide the role for everyone who meets the rule, whether they meet it or not. */
  | { kind: 'shadowed'; ruleId: string; roleId: string }
  /** The rule means the same without one of its conditions: the steps that lead to it from the top. */
  | { kind: 'no-effect'; ruleId: string; path: number[]; condition: Condition }
  /** One composition gives a role and another one takes it, from the same members. */
  | { kind: 'contradictory'; roleId: string; example: Example }
  /** These roles follow from each other in a cycle, so that they stay unknown. */
  | { kind: 'cyclic'; roleIds: string[] }
  /** Too large to prove anything about a rule, or about the compositions of a role. */
  | { kind: 'too-large'; ruleId: string; size: Size }
  | { kind: 'too-large'; roleId: string; size: Size };

/** A whole set takes a second at most. */
const stepsPerSet = 4_000_000;

/** What is wrong with a whole rule set, or has no effect. */
export async function analyzeRules(set: OpenRules, options: AnalysisOptions = {}): Promise<Finding[]> {
  const findings: Finding[] = [];
  // One rule cannot use up what is left for all.
  const share = shareEffort(options.effort?.stepsLeft ?? stepsPerSet, () => usualSteps);
  const addFrom = async (find: (limited: AnalysisOptions) => Finding[] | Promise<Finding[]>) =>
    findings.push(...(await share((effort) => find({ ...options, effort }))));
  for (const { id } of set.rules) await addFrom((limited) => findInRule(set, id, limited));
  for (const roleId of new Set(set.compositions.map((composition) => composition.roleId)))
    await addFrom((limited) => findContradiction(set, roleId, limited));
  return [...findings, ...findCycles(set)];
}

/** What is wrong with one rule beside the others of its set. */
export function findProblems(set: OpenRules, { ruleId, ...options }: AnalysisOptions & { ruleId: string }): Finding[] {
  return [...findInRule(set, ruleId, options), ...findCycles(set)];
}

function findCycles(set: OpenRules): Finding[] {
  const roleIds = findCycle(set);
  return roleIds.length > 0 ? [{ kind: 'cyclic', roleIds }] : [];
}

interface ReadRule {
  id: string;
  condition: Condition;
  isEarlier: boolean;
}

function findInRule(set: OpenRules, ruleId: string, options: AnalysisOptions): Finding[] {
  const place = set.rules.findIndex(({ id }) => id === ruleId);
  const open = set.rules[place];
  if (open === undefined || !('rule' in open)) return [];
  const { roleId, rule } = open;
  const others = set.rules.flatMap((other, index): ReadRule[] => {
    if (index === place || other.roleId !== roleId || !('rule' in other)) return [];
    return [{ id: other.id, condition: other.rule.condition, isEarlier: index < place }];
  });
  const conditions = [rule.condition, ...others.map(({ condition }) => condition)];
  try {
    const found = findProblem(
      { id: ruleId, condition: rule.condition },
      others,
      new Prover(conditions, options).encoding,
    );
    if (found.length > 0 || !isShadowed(set, ruleId, roleId, options)) return found;
    return [{ kind: 'shadowed', ruleId, roleId }];
  } catch (error) {
    if (error instanceof TooLarge) return [{ kind: 'too-large', ruleId, size: sizeOf(conditions) }];
    throw error;
  }
}

function findProblem(
  { id: ruleId, condition }: { id: string; condition: Condition },
  others: readonly ReadRule[],
  encoding: Encoding,
): Finding[] {
  const { bdds } = encoding;
  const met = encoding.condition(condition);
  if (!encoding.isPossible(met)) return [{ kind: 'impossible', ruleId }];
  if (!encoding.isPossible(bdds.and(encoding.hasWallets, bdds.not(met)))) return [{ kind: 'always-met', ruleId }];
  const isWithin = (a: Bdd, b: Bdd) => !encoding.isPossible(bdds.and(a, bdds.not(b)));
  const covering = findCovering(
    met,
    others.map((other) => ({ ...other, met: encoding.condition(other.condition) })),
    { isWithin, either: (...parts) => bdds.or(...parts) },
  );
  if (covering.length > 0) return [{ kind: 'redundant', ruleId, otherRuleIds: covering }];
  return findWithoutEffect(encoding, condition, encoding.possible).map((found) => ({
    kind: 'no-effect',
    ruleId,
    ...found,
  }));
}

interface Logic {
  isWithin(a: Bdd, b: Bdd): boolean;
  either(...parts: Bdd[]): Bdd;
}

/** The rules that together admit every member that a rule admits: one of them where one does, otherwise as few as needed. */
function findCovering(met: Bdd, others: readonly (ReadRule & { met: Bdd })[], { isWithin, either }: Logic): string[] {
  const single = others.filter((other) => isWithin(met, other.met) && (other.isEarlier || !isWithin(other.met, met)));
  if (single.length > 0) return single.map(({ id }) => id);
  // A later rule of equal meaning is the redundant one, and says so itself.
  let covering = others.filter((other) => !isWithin(met, other.met));
  if (!isWithin(met, either(...covering.map((other) => other.met)))) return [];
  for (const one of covering) {
    const fewer = covering.filter((other) => other !== one);
    if (isWithin(met, either(...fewer.map((other) => other.met)))) covering = fewer;
  }
  return covering.map(({ id }) => id);
}

/**
 * Conditions of a group that can be left out without a change. `care` is for which members the rule depends on a condition:
 * on a part of "and", those who meet all other parts; on a part of "or", those who meet none; on a part of "at least",
 * those who meet one less than needed.
 */
function findWithoutEffect(
  encoding: Encoding,
  condition: Condition,
  care: Bdd,
  path: readonly number[] = [],
): { path: number[]; condition: Condition }[] {
  if (condition.kind === 'not') return findWithoutEffect(encoding, condition.part, care, [...path, 0]);
  if (!('parts' in condition)) return [];
  const { bdds } = encoding;
  const { parts } = condition;
  const met = parts.map((part) => encoding.condition(part));
  const cares =
    condition.kind === 'at-least'
      ? caresOfCount(bdds, condition.count, met, care)
      : caresOfAll(bdds, condition.kind, met, care);
  return parts.flatMap((part, index) => {
    const [own = BddManager.no, its = BddManager.no] = [met[index], cares[index]];
    const changes = condition.kind === 'and' ? bdds.not(own) : own;
    const canLeaveOut = condition.kind !== 'at-least' && parts.length > 1;
    if (canLeaveOut && bdds.and(its, changes) === BddManager.no) return [{ path: [...path, index], condition: part }];
    return findWithoutEffect(encoding, part, its, [...path, index]);
  });
}

/** For each part, the members who meet all others of an "and", or none of an "or". */
function caresOfAll(bdds: BddManager, kind: 'and' | 'or', met: readonly Bdd[], care: Bdd): Bdd[] {
  const neutral = kind === 'and' ? met : met.map((part) => bdds.not(part));
  const after: Bdd[] = [];
  let rest = BddManager.yes;
  for (const part of neutral.toReversed()) {
    after.push(rest);
    rest = bdds.and(part, rest);
  }
  after.reverse();
  let before = care;
  return neutral.map((part, index) => {
    const own = bdds.and(before, after[index] ?? BddManager.yes);
    before = bdds.and(part, before);
    return own;
  });
}

/** For each part, the members who meet exactly one less than `count` of the others. */
function caresOfCount(bdds: BddManager, count: number, met: readonly Bdd[], care: Bdd): Bdd[] {
  return met.map((_, index) => {
    const others = met.toSpliced(index, 1);
    return bdds.and(care, bdds.atLeast(count - 1, others), bdds.not(bdds.atLeast(count, others)));
  });
}

/** Whether the role comes out the same when the rule is never met, because compositions decide it anyway. */
function isShadowed(whole: OpenRules, ruleId: string, roleId: string, options: AnalysisOptions): boolean {
  const set = partFor(whole, [roleId]);
  const isComposed = set.compositions.some((composition) => composition.roleId === roleId);
  if (!isComposed || findCycle(set).includes(roleId) || hasUnreadable(set)) return false;
  const { encoding } = new Prover(conditionsOf(set), options);
  const usual = new RoleFunctions(encoding, set).given(roleId);
  const without = new RoleFunctions(encoding, set, ruleId).given(roleId);
  return !encoding.isPossible(encoding.bdds.ifThenElse(usual, encoding.bdds.not(without), without));
}

/** A member to whom one composition gives the role while another one takes it: which applies last decides. */
export async function findContradiction(
  whole: OpenRules,
  roleId: string,
  options: AnalysisOptions = {},
): Promise<Finding[]> {
  const set = partFor(whole, [roleId]);
  const about = set.compositions.filter((composition) => composition.roleId === roleId);
  const [giving, taking] = [about.filter(givesRole), about.filter((composition) => !givesRole(composition))];
  if (giving.length === 0 || taking.length === 0 || findCycle(set).includes(roleId)) return [];
  const prover = new Prover(conditionsOf(set), options);
  const answer = await prover.prove((encoding) => {
    const roles = new RoleFunctions(encoding, set);
    const anyOf = (some: readonly RoleComposition[]) =>
      some.reduce<Bdd>((any, one) => encoding.bdds.or(roles.meets(one), any), BddManager.no);
    return {
      counterexample: encoding.bdds.and(anyOf(giving), anyOf(taking)),
      confirm: async (replay) =>
        (await replay.meetsAny(set, giving)) === 'true' && (await replay.meetsAny(set, taking)) === 'true',
    };
  });
  if (answer.kind === 'disproven') return [{ kind: 'contradictory', roleId, example: answer.example }];
  if (answer.kind === 'unproven' && (answer.reason === 'too-large' || answer.reason === 'no-effort-left'))
    return [{ kind: 'too-large', roleId, size: sizeOf(conditionsOf(set)) }];
  return [];
}
