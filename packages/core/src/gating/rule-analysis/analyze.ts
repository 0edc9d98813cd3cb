import type { OpenRules } from '../evaluation/index.ts';
import { type Condition, type RoleComposition, sortByDependence } from '../rules/index.ts';
import { type Bdd, BddManager, TooLarge } from './bdd.ts';
import { Encoding } from './encode.ts';
import { type Example, Replay } from './replay.ts';

/** The most nodes of a decision diagram. They bound the work of a proof, which runs on the event loop. */
const usualNodes = 10_000;

export interface AnalysisOptions {
  mostNodes?: number;
}

export type Finding =
  /** No member can meet the rule. */
  | { kind: 'impossible'; ruleId: string }
  /** Every member with a wallet on the rule's chains meets it. */
  | { kind: 'always-met'; ruleId: string }
  /** Everyone who meets the rule meets one of these, which give the same role. */
  | { kind: 'redundant'; ruleId: string; otherRuleIds: string[] }
  /** The rule means the same without one of its conditions: the steps that lead to it from the top. */
  | { kind: 'no-effect'; ruleId: string; path: number[]; condition: Condition }
  /** These roles follow from each other in a cycle, so that they stay unknown. */
  | { kind: 'cyclic'; roleIds: string[] }
  /** The rule is too large to prove anything about it. */
  | { kind: 'too-large'; ruleId: string };

/** Whether a statement about all members is true; an example shows why not. */
export type Answer =
  | { kind: 'proven' }
  | { kind: 'disproven'; example: Example }
  /** Too large to prove, or the evaluator did not confirm the example. */
  | { kind: 'unproven'; reason: 'too-large' | 'not-confirmed' | 'unreadable-rule' };

export interface RoleComparison {
  roleId: string;
  /** No member gets the role who did not have it before. */
  noGains: Answer;
  /** No member loses the role. */
  noLosses: Answer;
}

/** What is wrong with the rules of a community, or has no effect: with all of them, or with one. */
export function findProblems(
  set: OpenRules,
  { ruleId, ...options }: AnalysisOptions & { ruleId?: string } = {},
): Finding[] {
  const cyclic = findCycle(set.compositions);
  const rules = set.rules.flatMap((open) => ('rule' in open ? [{ id: open.id, ...open.rule }] : []));
  return [
    ...rules.flatMap((rule, index) => {
      if (ruleId !== undefined && rule.id !== ruleId) return [];
      const others = rules
        .map((other, position) => ({ ...other, isEarlier: position < index }))
        .filter(({ id, roleId }) => id !== rule.id && roleId === rule.roleId);
      return orTooLarge(rule.id, () => findInRule(rule, others, options));
    }),
    ...(cyclic.length > 0 ? [{ kind: 'cyclic' as const, roleIds: cyclic }] : []),
  ];
}

/** What an edit changes: for every role that a rule or a composition of either side decides, or for one. */
export async function compareRules(
  before: OpenRules,
  after: OpenRules,
  options: AnalysisOptions & { roleId?: string } = {},
): Promise<RoleComparison[]> {
  const roleIds = new Set(options.roleId === undefined ? [before, after].flatMap(decidedRoles) : [options.roleId]);
  return Promise.all(
    [...roleIds].map(async (roleId) => ({
      roleId,
      noGains: await isContained(after, before, roleId, options),
      noLosses: await isContained(before, after, roleId, options),
    })),
  );
}

/** Whether every member who gets a role meets a condition. */
export async function proveRequired(
  set: OpenRules,
  roleId: string,
  condition: Condition,
  options: AnalysisOptions = {},
): Promise<Answer> {
  if (hasUnreadable(set, roleId)) return { kind: 'unproven', reason: 'unreadable-rule' };
  return prove({ sets: [set], conditions: [condition], ...options }, (encoding) => ({
    counterexample: encoding.bdds.and(roleOf(encoding, set, roleId), encoding.bdds.not(encoding.condition(condition))),
    confirm: async (replay) =>
      (await replay.decideRole(set, roleId)) === 'true' && (await replay.decideCondition(condition)) === 'false',
  }));
}

/** Whether every member who gets the role by one set gets it by the other. */
async function isContained(
  set: OpenRules,
  other: OpenRules,
  roleId: string,
  options: AnalysisOptions,
): Promise<Answer> {
  if (hasUnreadable(set, roleId) || hasUnreadable(other, roleId))
    return { kind: 'unproven', reason: 'unreadable-rule' };
  return prove({ sets: [set, other], conditions: [], ...options }, (encoding) => ({
    counterexample: encoding.bdds.and(
      roleOf(encoding, set, roleId),
      encoding.bdds.not(roleOf(encoding, other, roleId)),
    ),
    confirm: async (replay) =>
      (await replay.decideRole(set, roleId)) === 'true' && (await replay.decideRole(other, roleId)) === 'false',
  }));
}

interface Claim {
  /** The members that disprove the statement. */
  counterexample: Bdd;
  confirm(replay: Replay): Promise<boolean>;
}

async function prove(
  {
    sets,
    conditions,
    mostNodes = usualNodes,
  }: AnalysisOptions & { sets: readonly OpenRules[]; conditions: readonly Condition[] },
  claimIn: (encoding: Encoding) => Claim,
): Promise<Answer> {
  try {
    const encoding = new Encoding([...new Set([...sets.flatMap(conditionsOf), ...conditions])], mostNodes);
    const { counterexample, confirm } = claimIn(encoding);
    const values = encoding.bdds.example(encoding.bdds.and(encoding.possible, counterexample));
    if (values === undefined) return { kind: 'proven' };
    const replay = new Replay(encoding, values);
    if (!(await confirm(replay))) return { kind: 'unproven', reason: 'not-confirmed' };
    return { kind: 'disproven', example: replay.example() };
  } catch (error) {
    if (error instanceof TooLarge) return { kind: 'unproven', reason: 'too-large' };
    throw error;
  }
}

function findInRule(
  rule: { id: string; condition: Condition },
  others: readonly { id: string; condition: Condition; isEarlier: boolean }[],
  { mostNodes = usualNodes }: AnalysisOptions,
): Finding[] {
  const { id: ruleId, condition } = rule;
  const encoding = new Encoding([condition, ...others.map((other) => other.condition)], mostNodes);
  const { bdds, possible } = encoding;
  const isNever = (f: Bdd) => bdds.and(possible, f) === BddManager.no;
  const met = encoding.condition(condition);
  if (isNever(met)) return [{ kind: 'impossible', ruleId }];
  if (isNever(bdds.and(encoding.hasWallets, bdds.not(met)))) return [{ kind: 'always-met', ruleId }];
  const isWithin = (a: Bdd, b: Bdd) => isNever(bdds.and(a, bdds.not(b)));
  const within = others.filter((other) => {
    const otherMet = encoding.condition(other.condition);
    // Of two equal rules, the later one is the redundant one.
    return isWithin(met, otherMet) && (other.isEarlier || !isWithin(otherMet, met));
  });
  if (within.length > 0) return [{ kind: 'redundant', ruleId, otherRuleIds: within.map(({ id }) => id) }];
  const same = (other: Condition) => isNever(bdds.not(bdds.equals(met, encoding.condition(other))));
  return findWithoutEffect(condition, same).map((found) => ({ kind: 'no-effect', ruleId, ...found }));
}

/** Conditions of a group that can be left out without a change. */
function findWithoutEffect(
  condition: Condition,
  isSame: (changed: Condition) => boolean,
  path: readonly number[] = [],
): { path: number[]; condition: Condition }[] {
  if (condition.kind === 'not')
    return findWithoutEffect(condition.part, (part) => isSame({ kind: 'not', part }), [...path, 0]);
  if (!('parts' in condition)) return [];
  const { parts } = condition;
  const replaced = (index: number, by: readonly Condition[]) => ({
    ...condition,
    parts: parts.toSpliced(index, 1, ...by),
  });
  return parts.flatMap((part, index) => {
    const canLeaveOut = condition.kind !== 'at-least' && parts.length > 1;
    if (canLeaveOut && isSame(replaced(index, []))) return [{ path: [...path, index], condition: part }];
    return findWithoutEffect(part, (changed) => isSame(replaced(index, [changed])), [...path, index]);
  });
}

function orTooLarge(ruleId: string, find: () => Finding[]): Finding[] {
  try {
    return find();
  } catch (error) {
    if (error instanceof TooLarge) return [{ kind: 'too-large', ruleId }];
    throw error;
  }
}

/** A role while compositions are applied: whether anything has decided it, and if so how. */
interface RoleState {
  isDecided: Bdd;
  isGiven: Bdd;
}

const undecided: RoleState = { isDecided: BddManager.no, isGiven: BddManager.no };

/** Who gets a role, after rules and compositions. Guest passes are left out: admins issue those by name. */
function roleOf(encoding: Encoding, { rules, compositions }: OpenRules, roleId: string): Bdd {
  const { bdds } = encoding;
  const states = new Map<string, RoleState>();
  const stateOf = (id: string) => states.get(id) ?? undecided;
  for (const open of rules)
    if ('rule' in open) {
      const isGiven = bdds.or(stateOf(open.roleId).isGiven, encoding.condition(open.rule.condition));
      states.set(open.roleId, { isDecided: BddManager.yes, isGiven });
    }
  const now = (id: string) => bdds.ifThenElse(stateOf(id).isDecided, stateOf(id).isGiven, encoding.holdsRole(id));
  const { ordered, circular } = sortByDependence(compositions);
  for (const composition of ordered) {
    const { action, roleId: target } = composition;
    const { isDecided, isGiven } = stateOf(target);
    const isMet = encoding.composition(composition, now);
    const effect = action === 'add' || action === 'addOrRemove' ? BddManager.yes : BddManager.no;
    const isReversed = action === 'add' || action === 'remove' ? BddManager.no : bdds.not(isDecided);
    states.set(target, {
      isDecided: bdds.or(isDecided, isMet, isReversed),
      isGiven: bdds.ifThenElse(isMet, effect, bdds.ifThenElse(isReversed, bdds.not(effect), isGiven)),
    });
  }
  // What stays unknown gives nothing.
  for (const { roleId: target } of circular) states.set(target, undecided);
  const { isDecided, isGiven } = stateOf(roleId);
  return bdds.and(isDecided, isGiven);
}

function findCycle(compositions: readonly RoleComposition[]): string[] {
  return [...new Set(sortByDependence(compositions).circular.map(({ roleId }) => roleId))];
}

function conditionsOf({ rules }: OpenRules): Condition[] {
  return rules.flatMap((open) => ('rule' in open ? [open.rule.condition] : []));
}

function decidedRoles({ rules, compositions }: OpenRules): string[] {
  return [...rules, ...compositions].map(({ roleId }) => roleId);
}

function hasUnreadable({ rules }: OpenRules, roleId: string): boolean {
  return rules.some((open) => open.roleId === roleId && 'problem' in open);
}
