import { compareDecimals, parseDecimal } from '../../shared/decimal.ts';
import { grouped } from '../../shared/numbers.ts';
import type { LeafReason } from '../rules/index.ts';
import type { ReadReason } from './read-reason.ts';
import { type ReasonNames, type ReasonReader, voiceOf } from './reason-names.ts';

/** Describes what a rule requires: `at least 2 CAT on Ethereum and a guest pass that counts`. */
export function needInWords(reason: ReadReason, names: Pick<ReasonNames, 'token'>): string {
  if (reason.kind === 'leaf') return leafNeed(reason, names);
  const parts = reason.parts.map((part) => {
    const need = needInWords(part, names);
    return part.kind === 'leaf' || reason.parts.length === 1 ? need : `(${need})`;
  });
  switch (reason.kind) {
    case 'not':
      return `none of these: ${noneOf(reason, names).join('; ')}`;
    case 'at-least':
      return `at least ${reason.count ?? 1} of these: ${parts.join('; ')}`;
    default:
      return parts.join(` ${reason.kind} `);
  }
}

/** "None of (a or b)" is the same as "none of a, b". */
function noneOf({ parts }: Extract<ReadReason, { parts: unknown }>, names: Pick<ReasonNames, 'token'>): string[] {
  return parts.flatMap((part) => (part.kind === 'or' ? part.parts : [part])).map((part) => needInWords(part, names));
}

function leafNeed({ needed, asset }: LeafReason, names: Pick<ReasonNames, 'token'>): string {
  const need = withDuration(needed);
  if (asset === undefined) return need;
  const token = names.token(asset);
  if (need.startsWith('a yes to ')) return `holdings of ${token} that match the rule’s query`;
  const [, amount, rest] = /^((?:at least|from) [\d.]+(?: to [\d.]+)?)(.*)$/s.exec(need) ?? [];
  if (amount !== undefined) return `${amount.replace(/[\d.]+/g, grouped)} ${token}${rest}`;
  return /^(tokens|a profile) with /.test(need) ? `${need} (${token})` : `${need} of ${token}`;
}

const units = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
] as const;

function withDuration(needed: string): string {
  return needed.replace(/\bfor (\d+) seconds\b/, (whole, digits: string) => {
    const seconds = Number(digits);
    const unit = units.find(([, length]) => seconds >= length && seconds % length === 0);
    if (unit === undefined) return whole;
    const count = seconds / unit[1];
    return `for ${count} ${unit[0]}${count === 1 ? '' : 's'}`;
  });
}

/**
 * Describes what was found if something is missing or could not be read; empty if there is nothing to add. A token that
 * was just named and is the `only` one is not named again.
 */
export function findingInWords(
  leaf: LeafReason,
  names: Pick<ReasonNames, 'token'>,
  reader: ReasonReader,
  only: boolean,
): string {
  if (leaf.asset === undefined) return '';
  const token = names.token(leaf.asset);
  const { isSelf, who, whose: owner, showsAmounts } = voiceOf(reader);
  if (leaf.truth === 'unknown') return `${capital(token)} could not be read, so nothing changes.`;
  const it = only ? 'it' : token;
  if (leaf.readings.length === 0) {
    if (isSelf) return `You have no linked wallet that can hold ${it}.`;
    return reader === 'other' ? `No linked wallet can hold ${it}.` : `${who} has no linked wallet that can hold ${it}.`;
  }
  const held = heldOf(leaf);
  const whose = `${owner} linked wallets hold`;
  if (leaf.truth === 'true') return `${whose} ${it}.`;
  if (held === undefined) return '';
  if (isZero(held)) return `${whose} none.`;
  return showsAmounts ? `${whose} ${grouped(held)}.` : `${whose} some, but not the right amount.`;
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
