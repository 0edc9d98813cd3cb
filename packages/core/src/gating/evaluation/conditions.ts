import type { LeafReason } from '../rules/index.ts';
import { concealReason, opposite } from './conceal.ts';
import { findingInWords, needInWords } from './need-in-words.ts';
import { type ReadReason, type ReadRole, readRoleReason } from './read-reason.ts';
import { messagesOf, type ReasonNames } from './reason-names.ts';

/**
 * How one condition stands: `no-account` where nothing that is linked could meet it, `unknown` where it could not be read
 * just now.
 */
export type ConditionState = 'met' | 'not-met' | 'no-account' | 'unknown';

/** One condition of a rule, as shown to the member. */
export interface Condition {
  state: ConditionState;
  /** `at least 2 CAT on Ethereum`, or `not …` where it must not be met. */
  need: string;
  /** What was found, as a sentence. */
  found?: string;
  /** The kind of account that is missing: evm, solana, twitter … */
  account?: string;
}

/** One way to the role: any rule that is met gives it. */
export interface RuleConditions {
  name?: string;
  state: 'met' | 'not-met' | 'unknown';
  /** Everything that it needs, as one phrase; absent for a rule that members are not shown. */
  need?: string;
  conditions: Condition[];
}

const states = { true: 'met', false: 'not-met', unknown: 'unknown' } as const;

/** What the rules of a role ask of a member and what was found, for the member alone: amounts are shown. */
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
  if (visibility !== 'public') return [{ state, conditions: [{ state, need: messagesOf(names)('need.hidden') }] }];
  const name = names.rule(id);
  const called = name === undefined ? {} : { name };
  if (problem !== undefined || reason === undefined) return [{ ...called, state, conditions: [] }];
  const shown = concealReason(reason, truth);
  if (shown === undefined) return [{ ...called, state, conditions: [] }];
  const only = countLeaves(shown) === 1;
  return [{ ...called, state, need: needInWords(shown, names), conditions: leavesOf(shown, names, { only }) }];
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

function countLeaves(reason: ReadReason): number {
  return reason.kind === 'leaf' ? 1 : reason.parts.reduce((sum, part) => sum + countLeaves(part), 0);
}
