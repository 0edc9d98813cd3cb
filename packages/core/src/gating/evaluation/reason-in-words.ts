import type { ServerMessages } from '../../shared/messages/index.ts';
import type { Truth } from '../rules/index.ts';
import { concealReason, opposite } from './conceal.ts';
import { findingInWords, needInWords } from './need-in-words.ts';
import { type ReadReason, type ReadRole, readRoleReason } from './read-reason.ts';
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

function moreRules({ rules, truth }: ReadRole, shown: number, t: ServerMessages): string[] {
  const left = rules.length - shown;
  if (truth === 'true' || left <= 0) return [];
  return [t('reason.moreRules', { count: left })];
}

/** Describes the effect of a rule about other roles. */
export function compositionInWords(
  { action, condition, operator }: ReadRole['compositions'][number],
  names: ReasonNames,
) {
  const t = messagesOf(names);
  const join = operator === 'or' ? 'need.either' : 'need.both';
  const roles = Object.entries(condition)
    .map(([id, isHeld]) => t(isHeld ? 'reason.withRole' : 'reason.withoutRole', { role: names.role(id) }))
    .reduce((first, second) => (first === '' ? second : t(join, { first, second })), '');
  return t(action.startsWith('remove') ? 'reason.otherRolesTake' : 'reason.otherRolesGive', { roles });
}
