import type { Truth } from '../rules/index.ts';
import { concealReason, opposite } from './conceal.ts';
import { findingInWords, needInWords } from './need-in-words.ts';
import { type ReadReason, type ReadRole, readRoleReason } from './read-reason.ts';
import { type ReasonNames, type ReasonReader, voiceOf } from './reason-names.ts';

/** At most this many rules of a role are shown; readers would skip more. */
const mostRules = 3;

/** Explains why a role is granted, kept or removed, in sentences that name rules and tokens and never a wallet. */
export function reasonInWords(reason: unknown, names: ReasonNames, reader: ReasonReader): string[] {
  const role = readRoleReason(reason);
  if (role === undefined) return [];
  if (role.undoes !== undefined) return ['An admin undid an earlier change.'];
  if (role.isRuleDeleted) return ['An admin deleted the rule that gave this role.'];
  const { who } = voiceOf(reader);
  const screening = role.isAwaitingScreening ? [`Waiting for ${who} to accept the server’s rules.`] : [];
  if (role.isGuest) return [...screening, `A guest pass gives ${who} this role.`];
  const outranked = role.isOutranked ? ['Replaced by another role: only one can be shown at a time.'] : [];
  const decisive = role.rules.filter((rule) => rule.truth === role.truth);
  const rules = (decisive.length > 0 ? decisive : role.rules).slice(0, role.truth === 'true' ? 1 : mostRules);
  return [
    ...screening,
    ...outranked,
    ...rules.map((rule) => ruleInWords(rule, names, reader)),
    ...moreRules(role, rules.length),
    ...role.compositions.map((composition) => compositionInWords(composition, names)),
  ];
}

function ruleInWords(
  { id, truth, reason, problem }: ReadRole['rules'][number],
  names: ReasonNames,
  reader: ReasonReader,
) {
  const isMember = reader === 'self';
  if (isMember && names.visibility(id) !== 'public') return outcomeOfConcealed[truth];
  const name = names.rule(id);
  const called = name === undefined ? 'A rule' : `The rule "${name}"`;
  if (problem !== undefined) return `${called} cannot be evaluated: ${problem}`;
  if (reason === undefined) return `${called} ${outcomes[truth]}.`;
  const shown = isMember ? concealReason(reason, truth) : reason;
  if (shown === undefined) return `${called} ${outcomes[truth]}.`;
  const need = needInWords(shown, names);
  if (truth === 'true') return `${called} is met: ${need}.`;
  const found = findings(shown, truth, names, reader);
  return [`${called} needs ${need}.`, ...found].join(' ');
}

/** For a rule of which only the outcome is stored. */
const outcomes: Readonly<Record<Truth, string>> = {
  true: 'was met',
  false: 'was not met',
  unknown: 'could not be evaluated',
};

/** For a rule that is concealed from members. */
const outcomeOfConcealed: Readonly<Record<Truth, string>> = {
  true: 'A hidden condition is met.',
  false: 'A hidden condition is not met.',
  unknown: 'A hidden condition could not be checked just now, so nothing changes.',
};

const mostFindings = 3;

/** Describes what was found for the parts that led to a rule's outcome. */
function findings(reason: ReadReason, truth: Truth, names: ReasonNames, reader: ReasonReader): string[] {
  const said = leavesBehind(reason, truth).map((leaf) =>
    findingInWords(leaf, names, reader, countLeaves(reason) === 1),
  );
  return [...new Set(said)].filter((sentence) => sentence !== '').slice(0, mostFindings);
}

/** The leaves with this truth; below a `not`, those with the opposite. */
export function leavesBehind(reason: ReadReason, truth: Truth): Extract<ReadReason, { kind: 'leaf' }>[] {
  if (reason.kind === 'leaf') return reason.truth === truth ? [reason] : [];
  const wanted = reason.kind === 'not' ? opposite(truth) : truth;
  return reason.parts.flatMap((part) => leavesBehind(part, wanted));
}

function countLeaves(reason: ReadReason): number {
  return reason.kind === 'leaf' ? 1 : reason.parts.reduce((sum, part) => sum + countLeaves(part), 0);
}

function moreRules({ rules, truth }: ReadRole, shown: number): string[] {
  const left = rules.length - shown;
  if (truth === 'true' || left <= 0) return [];
  return [left === 1 ? 'One more rule gives this role.' : `${left} more rules give this role.`];
}

/** Describes the effect of a rule about other roles. */
export function compositionInWords(
  { action, condition, operator }: ReadRole['compositions'][number],
  names: ReasonNames,
) {
  const wanted = Object.entries(condition).map(([id, isHeld]) => `${isHeld ? 'with' : 'without'} ${names.role(id)}`);
  const effect = action.startsWith('remove') ? 'not be held' : 'be held';
  return `A rule about other roles decides last: ${wanted.join(` ${operator} `)}, this role must ${effect}.`;
}
