import type { ServerMessages } from '../../shared/messages/index.ts';
import type { Truth } from '../rules/index.ts';
import { findingInWords, needInWords } from './need-in-words.ts';
import { concealReason, opposite, type ReadReason, type ReadRole, readRoleReason } from './read-reason.ts';
import { messagesOf, type ReasonNames, type ReasonReader, voiceOf } from './reason-names.ts';

/** At most this many rules of a role are shown; readers would skip more. */
const mostRules = 3;

/** Explains why a role is granted, kept or removed, in sentences that name rules and tokens and never a wallet. */
export function reasonInWords(reason: unknown, names: ReasonNames, reader: ReasonReader): string[] {
  const role = readRoleReason(reason);
  if (role === undefined) return [];
  const t = messagesOf(names);
  const { isSelf, who } = voiceOf(reader);
  if (role.undoes !== undefined) return [t('reason.undone')];
  if (role.isRuleDeleted) return [t('reason.ruleDeleted')];
  if (role.hasLeft) return [t('reason.left')];
  const awaited = isSelf ? t('reason.screening') : `Waiting for ${who} to accept the server’s rules.`;
  const screening = role.isAwaitingScreening ? [awaited] : [];
  if (role.isGuest) return [...screening, isSelf ? t('reason.guest') : `A guest pass gives ${who} this role.`];
  const outranked = role.isOutranked ? [t('reason.outranked')] : [];
  const decisive = role.rules.filter((rule) => rule.truth === role.truth);
  const rules = (decisive.length > 0 ? decisive : role.rules).slice(0, role.truth === 'true' ? 1 : mostRules);
  return [
    ...screening,
    ...outranked,
    ...rules.map((rule) => ruleInWords(rule, names, reader)),
    ...moreRules(role, rules.length, t),
    ...role.compositions.map((composition) => compositionInWords(composition, names)),
  ];
}

function ruleInWords(
  { id, truth, reason, problem }: ReadRole['rules'][number],
  names: ReasonNames,
  reader: ReasonReader,
) {
  const t = messagesOf(names);
  const isMember = reader === 'self';
  if (isMember && names.visibility(id) !== 'public') return t('reason.hidden', { truth });
  const name = names.rule(id);
  const rule = name === undefined ? t('reason.unnamedRule') : t('reason.rule', { name });
  if (problem !== undefined) return t('reason.problem', { rule, problem });
  if (reason === undefined) return t('reason.outcome', { rule, truth });
  const shown = isMember ? concealReason(reason, truth) : reason;
  if (shown === undefined) return t('reason.outcome', { rule, truth });
  const need = needInWords(shown, names);
  if (truth === 'true') return t('reason.met', { rule, need });
  const found = findings(shown, truth, names, reader);
  return [t('reason.needs', { rule, need }), ...found].join(' ');
}

const mostFindings = 3;

/** Describes what was found for the parts that led to a rule's outcome. */
function findings(reason: ReadReason, truth: Truth, names: ReasonNames, reader: ReasonReader): string[] {
  const reply = leavesBehind(reason, truth).map((leaf) =>
    findingInWords(leaf, names, reader, countLeaves(reason) === 1),
  );
  return [...new Set(reply)].filter((sentence) => sentence !== '').slice(0, mostFindings);
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

function moreRules({ rules, truth }: ReadRole, shown: number, t: ServerMessages): string[] {
  const left = rules.length - shown;
  if (truth === 'true' || left <= 0) return [];
  return [t('reason.moreRules', { count: left })];
}

/** Describes the effect of a rule about other roles. */
function compositionInWords({ action, condition, operator }: ReadRole['compositions'][number], names: ReasonNames) {
  const t = messagesOf(names);
  const join = operator === 'or' ? 'need.either' : 'need.both';
  const roles = Object.entries(condition)
    .map(([id, isHeld]) => t(isHeld ? 'reason.withRole' : 'reason.withoutRole', { role: names.role(id) }))
    .reduce((first, second) => (first === '' ? second : t(join, { first, second })), '');
  return t(action.startsWith('remove') ? 'reason.otherRolesTake' : 'reason.otherRolesGive', { roles });
}

/** One condition of a reason. Its children follow it, one level deeper. */
export interface ReasonLine {
  depth: number;
  outcome: 'met' | 'not-met' | 'unknown';
  text: string;
  /** What was found instead, or why it could not be checked. */
  found?: string;
}

/** Renders a reason as a tree, one condition per line, naming rules and tokens but never a wallet. */
export function reasonInLines(reason: unknown, names: ReasonNames, reader: ReasonReader): ReasonLine[] {
  const role = readRoleReason(reason);
  if (role === undefined) return [];
  if (role.undoes !== undefined) return [line(0, 'true', 'An admin undid an earlier change.')];
  if (role.isRuleDeleted) return [line(0, 'false', 'An admin deleted the rule that gave this role.')];
  if (role.hasLeft) return [line(0, 'false', 'Members who leave the community lose this role.')];
  const guest = role.isGuest ? [line(0, 'true', 'A guest pass gives this role')] : [];
  const outranked = role.isOutranked
    ? [line(0, 'false', 'Replaced by another role: only one can be shown at a time')]
    : [];
  const screening = role.isAwaitingScreening
    ? [line(0, 'unknown', 'Waiting for the member to accept the server’s rules')]
    : [];
  return [
    ...screening,
    ...guest,
    ...outranked,
    ...role.rules.flatMap((rule) => ruleLines(rule, names, reader)),
    ...role.compositions.map((composition) => line(0, role.truth, compositionInWords(composition, names))),
  ];
}

function ruleLines(
  { id, truth, reason, problem }: ReadRole['rules'][number],
  names: ReasonNames,
  reader: ReasonReader,
): ReasonLine[] {
  const name = names.rule(id);
  const head = line(0, truth, name === undefined ? 'A rule without a name' : `Rule “${name}”`, problem);
  return reason === undefined ? [head] : [head, ...nodeLines(reason, 1, names, reader)];
}

function nodeLines(node: ReadReason, depth: number, names: ReasonNames, reader: ReasonReader): ReasonLine[] {
  if (node.kind !== 'leaf')
    return [
      line(depth, node.truth, groupInWords(node)),
      ...node.parts.flatMap((part) => nodeLines(part, depth + 1, names, reader)),
    ];
  const need = needInWords(node, names);
  const found = node.truth === 'true' ? '' : findingInWords(node, names, reader, true);
  return [line(depth, node.truth, `${need.charAt(0).toUpperCase()}${need.slice(1)}`, found || undefined)];
}

function groupInWords({ kind, count }: Exclude<ReadReason, { kind: 'leaf' }>): string {
  switch (kind) {
    case 'and':
      return 'All of these';
    case 'or':
      return 'Any of these';
    case 'not':
      return 'None of these';
    default:
      return `At least ${count ?? 1} of these`;
  }
}

const outcomes: Readonly<Record<Truth, ReasonLine['outcome']>> = { true: 'met', false: 'not-met', unknown: 'unknown' };

function line(depth: number, truth: Truth, text: string, found?: string): ReasonLine {
  return { depth, outcome: outcomes[truth], text, ...(found !== undefined && { found }) };
}
