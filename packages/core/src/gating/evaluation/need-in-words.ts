import { compareDecimals, parseDecimal } from '../../shared/decimal.ts';
import type { ServerMessages } from '../../shared/messages/index.ts';
import { grouped } from '../../shared/numbers.ts';
import { compositionOf, type LeafReason, type Rule, unreadReason } from '../rules/index.ts';
import type { ReadReason } from './read-reason.ts';
import { messagesOf, type ReasonNames, type ReasonReader, voiceOf } from './reason-names.ts';

type TokenNames = Pick<ReasonNames, 't' | 'token'>;

/** Describes what a rule requires: `at least 2 CAT on Ethereum and a guest pass that counts`. */
export function needInWords(reason: ReadReason, names: TokenNames): string {
  if (reason.kind === 'leaf') return leafNeed(reason, names);
  const t = messagesOf(names);
  const parts = reason.parts.map((part) => {
    const need = needInWords(part, names);
    return part.kind === 'leaf' || reason.parts.length === 1 ? need : `(${need})`;
  });
  switch (reason.kind) {
    case 'not':
      return t('need.none', { list: noneOf(reason, names).join('; ') });
    case 'at-least':
      return t('need.some', { count: reason.count ?? 1, list: parts.join('; ') });
    default: {
      const join = reason.kind === 'and' ? 'need.both' : 'need.either';
      return parts.length === 0 ? '' : parts.reduce((first, second) => t(join, { first, second }));
    }
  }
}

/** "None of (a or b)" is the same as "none of a, b". */
function noneOf({ parts }: Extract<ReadReason, { parts: unknown }>, names: TokenNames): string[] {
  return parts.flatMap((part) => (part.kind === 'or' ? part.parts : [part])).map((part) => needInWords(part, names));
}

/** What reasons say is needed, as `describeNeeded` writes it: an amount or traits, and how they are read. */
const neededPattern = /^(.*?)( in all wallets together)?(?:, for (\d+) seconds)?(?:, at block (\d+))?$/s;

function leafNeed({ needed, asset }: LeafReason, names: TokenNames): string {
  const t = messagesOf(names);
  const [, what = needed, together, seconds, block] = neededPattern.exec(needed) ?? [];
  if (asset === undefined) return withoutAsset[needed] === undefined ? needed : t(withoutAsset[needed]);
  const token = names.token(asset);
  if (needed.startsWith('a yes to ')) return t('need.query', { token });
  let need = assetNeed(what, token, t);
  if (together !== undefined) need = t('need.together', { need });
  if (seconds !== undefined) need = withDuration(need, Number(seconds), t);
  return block === undefined ? need : t('need.atBlock', { need, block });
}

const withoutAsset: Readonly<Record<string, 'need.pass' | 'need.hidden'>> = {
  'a guest pass that counts': 'need.pass',
  'a hidden condition': 'need.hidden',
};

function assetNeed(what: string, token: string, t: ServerMessages): string {
  const [, amount] = /^at least ([\d.]+)$/.exec(what) ?? [];
  if (amount !== undefined) return t('need.atLeast', { amount: t.decimal(amount), token });
  const [, least, most] = /^from ([\d.]+) to ([\d.]+)$/.exec(what) ?? [];
  if (least !== undefined && most !== undefined)
    return t('need.between', { least: t.decimal(least), most: t.decimal(most), token });
  const [, kind, traits] = /^(tokens|a profile) with (.*)$/s.exec(what) ?? [];
  if (traits === undefined) return `${what} of ${token}`;
  return t(kind === 'tokens' ? 'need.tokensWith' : 'need.profileWith', { traits, token });
}

const units = [
  ['need.days', 24 * 60 * 60],
  ['need.hours', 60 * 60],
  ['need.minutes', 60],
] as const;

function withDuration(need: string, seconds: number, t: ServerMessages): string {
  const [unit, length] = units.find(([, long]) => seconds >= long && seconds % long === 0) ?? ['need.seconds', 1];
  return t(unit, { need, count: seconds / length });
}

/**
 * Describes what was found if something is missing or could not be read; empty if there is nothing to add. A token that
 * was just named and is the `only` one is not named again.
 */
export function findingInWords(leaf: LeafReason, names: TokenNames, reader: ReasonReader, only: boolean): string {
  if (leaf.asset === undefined) return '';
  const t = messagesOf(names);
  const token = names.token(leaf.asset);
  if (leaf.truth === 'unknown') return t('found.unknown', { token: capital(token) });
  const held = heldOf(leaf);
  if (reader !== 'self') return findingForOthers(leaf, reader, held, only ? 'it' : token);
  if (leaf.readings.length === 0) return only ? t('found.noWalletForIt') : t('found.noWallet', { token });
  if (leaf.truth === 'true') return only ? t('found.itIsHeld') : t('found.held', { token });
  if (held === undefined) return '';
  return isZero(held) ? t('found.none') : t('found.amount', { amount: t.decimal(held) });
}

/** For admins and the operator, who read English. */
function findingForOthers(
  { truth, readings, needed }: LeafReason,
  reader: ReasonReader,
  held: string | undefined,
  it: string,
): string {
  const { who, whose: owner, showsAmounts } = voiceOf(reader);
  if (readings.length === 0)
    return reader === 'other' ? `No linked wallet can hold ${it}.` : `${who} has no linked wallet that can hold ${it}.`;
  const whose = `${owner} linked wallets hold`;
  if (truth === 'true') return `${whose} ${it}.`;
  if (held === undefined) return '';
  if (isZero(held)) return `${whose} none.`;
  return showsAmounts ? `${whose} ${grouped(held)}.` : `${whose} ${tooLittleOf(needed)}.`;
}

/** What admins read of an amount that does not fit and that they do not see. */
export function tooLittleOf(needed: string): string {
  // With a maximum or a holding period, an amount can be wrong in other ways.
  return /^at least [\d.]+$/.test(needed) ? 'some, but not enough' : 'some, but not the right amount';
}

/** The sum, or the largest balance of a single wallet. */
export function heldOf({ sum, readings }: LeafReason): string | undefined {
  if (sum !== undefined) return sum;
  const values = readings.flatMap(({ value }) => (value === undefined ? [] : [value]));
  return values.toSorted(byAmount).at(-1);
}

function byAmount(a: string, b: string): number {
  const [first, second] = [parseDecimal(a), parseDecimal(b)];
  return first === undefined || second === undefined ? 0 : compareDecimals(first, second);
}

export function isZero(amount: string): boolean {
  return /^0(\.0*)?$/.test(amount);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Describes a rule in one sentence, in the same words that bots use for reasons. */
export function ruleInWords(rule: Rule, names: Pick<ReasonNames, 'role' | 'token'>): string {
  const composition = compositionOf(rule);
  if (composition === undefined)
    return `To get ${names.role(rule.roleId)}, a member needs ${needInWords(unreadReason(rule.condition), names)}.`;
  const { action, condition, operator } = composition;
  const wanted = Object.entries(condition).map(([id, isHeld]) => `${isHeld ? 'with' : 'without'} ${names.role(id)}`);
  const role = names.role(composition.roleId);
  const who = `Members ${wanted.join(` ${operator} `)}`;
  switch (action) {
    case 'add':
      return `${who} get ${role}.`;
    case 'remove':
      return `${who} lose ${role}.`;
    case 'addOrRemove':
      return `${who} get ${role}, and all others lose it.`;
    default:
      return `${who} lose ${role}, and all others get it.`;
  }
}

/** Describes what must stay true of a role: no member gets it without meeting a condition, or without another role. */
export function requirementInWords(
  roleId: string,
  required: { condition: Rule['condition'] } | { roleId: string },
  names: Pick<ReasonNames, 'role' | 'token'>,
): string {
  const needed =
    'roleId' in required
      ? `the role ${names.role(required.roleId)}`
      : needInWords(unreadReason(required.condition), names);
  return `No member gets ${names.role(roleId)} without ${needed}.`;
}
