import type { LeafReason } from '../rules/index.ts';
import { findingInWords, heldOf, needInWords } from './need-in-words.ts';
import { concealReason, opposite, type ReadReason, type ReadRole, readRoleReason } from './read-reason.ts';
import { messagesOf, type ReasonNames } from './reason-names.ts';

/** The state of one condition: `no-account` if no linked account could meet it, `unknown` if it could not be read. */
type ConditionState = 'met' | 'not-met' | 'no-account' | 'unknown';

/** One condition of a rule, as shown to the member. */
export interface Condition {
  state: ConditionState;
  /** For example `at least 2 CAT on Ethereum`, or `not …` if it must not be met. */
  need: string;
  /** What was found, as a sentence. */
  found?: string;
  /** The namespace of the missing account: evm, solana, twitter … */
  account?: string;
}

/** How much is needed and how much there is, as decimal numbers. */
interface ConditionAmount {
  least: string;
  most?: string;
  /** Absent when it could not be read, or when nothing that could hold it is linked. */
  have?: string;
  /** What is counted: `CAT on Ethereum`. */
  unit: string;
}

/** A line of the tree of a rule: a group, whose parts follow one deeper, or a condition. */
interface ConditionLine {
  depth: number;
  kind: 'all' | 'any' | 'none' | 'at-least' | 'condition';
  state: ConditionState;
  /** Of how many parts of a group `at-least` it needs. */
  count?: number;
  need?: string;
  found?: string;
  account?: string;
  amount?: ConditionAmount;
  /** Why it could not be checked. */
  problem?: string;
  /** The token that it is about. */
  asset?: string;
}

/** One way to get the role: any rule that is met grants it. */
export interface RuleConditions {
  /** Absent for a rule that members are not shown. */
  ruleId?: string;
  name?: string;
  state: 'met' | 'not-met' | 'unknown';
  /** All of its requirements as one phrase; absent for a rule that is concealed from members. */
  need?: string;
  conditions: Condition[];
  /** The same conditions with the groups that they belong to. */
  lines: ConditionLine[];
}

const states = { true: 'met', false: 'not-met', unknown: 'unknown' } as const;
const kinds = { and: 'all', or: 'any', not: 'none', 'at-least': 'at-least' } as const;

/**
 * Returns what the rules of a role require of a member and what was found. For the member only, because amounts are
 * shown.
 */
export function conditionsOf(reason: unknown, names: ReasonNames): RuleConditions[] {
  const role = readRoleReason(reason);
  return role === undefined ? [] : role.rules.flatMap((rule) => conditionsOfRule(rule, names));
}

function conditionsOfRule(
  { id, truth, reason, problem }: ReadRole['rules'][number],
  names: ReasonNames,
): RuleConditions[] {
  const visibility = names.visibility(id);
  const state = states[truth];
  if (visibility === 'hidden' && truth !== 'true') return [];
  const need = messagesOf(names)('need.hidden');
  if (visibility !== 'public')
    return [{ state, conditions: [{ state, need }], lines: [{ depth: 0, kind: 'condition', state, need }] }];
  const name = names.rule(id);
  const called = { ruleId: id, ...(name !== undefined && { name }) };
  if (problem !== undefined || reason === undefined) return [{ ...called, state, conditions: [], lines: [] }];
  const shown = concealReason(reason, truth);
  if (shown === undefined) return [{ ...called, state, conditions: [], lines: [] }];
  const only = countLeaves(shown) === 1;
  return [
    {
      ...called,
      state,
      need: needInWords(shown, names),
      conditions: leavesOf(shown, names, { only }),
      lines: linesOf(shown, names, { only, depth: 0 }),
    },
  ];
}

interface Place {
  only: boolean;
  isNegated?: boolean;
}

function leavesOf(reason: ReadReason, names: ReasonNames, place: Place): Condition[] {
  if (reason.kind === 'leaf') return [conditionOf(reason, names, place)];
  const isNegated = reason.kind === 'not' ? place.isNegated !== true : place.isNegated === true;
  return reason.parts.flatMap((part) => leavesOf(part, names, { ...place, isNegated }));
}

function conditionOf(leaf: LeafReason, names: ReasonNames, { only, isNegated = false }: Place): Condition {
  const need = needInWords(leaf, names);
  const truth = isNegated ? opposite(leaf.truth) : leaf.truth;
  const isMissing = truth === 'false' && !isNegated && leaf.asset !== undefined && leaf.readings.length === 0;
  const found = truth === 'true' && !isNegated ? '' : findingInWords(leaf, names, 'self', only);
  return {
    state: isMissing ? 'no-account' : states[truth],
    need: isNegated ? messagesOf(names)('need.not', { need }) : need,
    ...(found !== '' && { found }),
    ...(isMissing && { account: leaf.asset?.split(':')[0] ?? '' }),
  };
}

function linesOf(reason: ReadReason, names: ReasonNames, place: Place & { depth: number }): ConditionLine[] {
  const { depth, isNegated = false } = place;
  if (reason.kind === 'leaf') {
    // The group says that it must not be met.
    const condition = { ...conditionOf(reason, names, place), need: needInWords(reason, names) };
    const amount = isNegated ? undefined : amountOf(reason, names);
    const problem = reason.truth === 'unknown' ? problemOf(reason) : undefined;
    return [
      {
        depth,
        kind: 'condition',
        ...condition,
        ...(amount !== undefined && { amount }),
        ...(problem !== undefined && { problem }),
        ...(reason.asset !== undefined && { asset: reason.asset }),
      },
    ];
  }
  const isInside = reason.kind === 'not' ? !isNegated : isNegated;
  // A group of one, or an `or` right below a `not`, adds nothing that people need to read.
  const isPlain = reason.parts.length === 1 && reason.kind !== 'not';
  const isListed = reason.kind === 'not' && reason.parts.length === 1 && reason.parts[0]?.kind === 'or';
  const parts = isListed ? (reason.parts[0]?.kind === 'or' ? reason.parts[0].parts : []) : reason.parts;
  const below = parts.flatMap((part) =>
    linesOf(part, names, { ...place, isNegated: isInside, depth: isPlain ? depth : depth + 1 }),
  );
  if (isPlain) return below;
  const truth = isNegated ? opposite(reason.truth) : reason.truth;
  const { count } = reason;
  return [{ depth, kind: kinds[reason.kind], state: states[truth], ...(count !== undefined && { count }) }, ...below];
}

/** The numbers behind `at least 2` and `from 2 to 5`. */
function amountOf(leaf: LeafReason, names: ReasonNames): ConditionAmount | undefined {
  if (leaf.asset === undefined) return undefined;
  const [, least, most] = /^(?:at least|from) ([\d.]+)(?: to ([\d.]+))?/.exec(leaf.needed) ?? [];
  if (least === undefined) return undefined;
  const held = leaf.truth === 'unknown' ? undefined : heldOf(leaf);
  return {
    least,
    ...(most !== undefined && { most }),
    ...(held !== undefined && { have: held }),
    unit: names.token(leaf.asset),
  };
}

function problemOf({ note, readings }: LeafReason): string | undefined {
  return note ?? readings.find((reading) => reading.note !== undefined)?.note;
}

function countLeaves(reason: ReadReason): number {
  return reason.kind === 'leaf' ? 1 : reason.parts.reduce((sum, part) => sum + countLeaves(part), 0);
}
