import { compareDecimals, type Decimal, formatDecimal, parseDecimal } from '../../shared/decimal.ts';
import { counted, grouped } from '../../shared/numbers.ts';
import type { LeafReason } from '../rules/index.ts';
import { heldOf, isZero, needInWords, tooLittleOf } from './need-in-words.ts';
import { type ReadReason, type ReadRole, readRoleReason } from './read-reason.ts';
import { leavesBehind, reasonInWords } from './reason-in-words.ts';
import type { ReasonNames } from './reason-names.ts';

interface Change {
  roleId: string;
  action: 'grant' | 'revoke';
  reason: unknown;
}

/** Changes of one role that have the same reason. */
export interface ReasonGroup extends Omit<Change, 'reason'> {
  members: number;
  why: string;
  /** Of members who lose the role: what each condition needs, and what they have instead. */
  conditions: { need: string; found: string[] }[];
}

/** A range over fewer members would come close to the exact balance of one, which finds its wallet on a public chain. */
const fewestForRange = 5;
const mostConditions = 10;

/** Groups changes by role and reason, as they are added one by one. The largest group comes first. */
export function createReasonGroups(names: ReasonNames) {
  const groups = new Map<string, Omit<ReasonGroup, 'conditions'> & { findings: Map<string, Findings> }>();
  return {
    add: ({ roleId, action, reason }: Change): void => {
      const { why, leaves } = decisiveIn(reason, action, names);
      const key = JSON.stringify([roleId, action, why]);
      const group = groups.get(key) ?? { roleId, action, members: 0, why, findings: new Map<string, Findings>() };
      groups.set(key, group);
      group.members += 1;
      if (action === 'revoke') for (const leaf of leaves.slice(0, mostConditions)) note(group.findings, leaf, names);
    },
    list: (): ReasonGroup[] =>
      [...groups.values()]
        .toSorted((one, other) => other.members - one.members)
        .map(({ findings, ...group }) => ({
          ...group,
          conditions: [...findings].map(([need, found]) => ({ need, found: inWords(need, found, names) })),
        })),
  };
}

/** The conditions that decided: those that are met for a role that is given, and those that are not for one that is taken. */
function decisiveIn(
  reason: unknown,
  action: Change['action'],
  names: ReasonNames,
): { why: string; leaves: LeafReason[] } {
  const wanted = action === 'grant' ? 'true' : 'false';
  const role = readRoleReason(reason);
  const rules = (role?.rules ?? [])
    .filter(({ truth }) => truth === wanted)
    .slice(0, action === 'grant' ? 1 : undefined);
  const leaves = rules.flatMap((rule) => (rule.reason === undefined ? [] : leavesBehind(rule.reason, wanted)));
  if (role === undefined || leaves.length === 0 || !areRulesAlone(role))
    return { why: reasonInWords(reason, names, 'other').join(' ') || 'No reason is recorded.', leaves: [] };
  const verb = action === 'grant' ? 'has' : 'needs';
  const negated = rules.flatMap(({ reason: found }) => (found !== undefined && hasNegation(found) ? [found] : []));
  if (negated.length > 0)
    return { why: `${verb} ${negated.map((found) => needInWords(found, names)).join(' or ')}`, leaves: [] };
  const needs = [...new Set(leaves.map((leaf) => needInWords(leaf, names)))];
  return { why: `${verb} ${needs.join(', ')}`, leaves };
}

function areRulesAlone({ compositions, isGuest, isOutranked, isRuleDeleted, hasLeft, undoes }: ReadRole): boolean {
  const isOther = isGuest || isOutranked || isRuleDeleted || hasLeft || undoes !== undefined;
  return compositions.length === 0 && !isOther;
}

function hasNegation(reason: ReadReason): boolean {
  return reason.kind !== 'leaf' && (reason.kind === 'not' || reason.parts.some(hasNegation));
}

/** What members have of what one condition needs. */
interface Findings {
  asset: string | undefined;
  needed: string;
  withoutWallet: number;
  none: number;
  some: number;
  lowest?: Decimal;
  highest?: Decimal;
}

function note(findings: Map<string, Findings>, leaf: LeafReason, names: ReasonNames): void {
  const need = needInWords(leaf, names);
  const known = findings.get(need) ?? { asset: leaf.asset, needed: leaf.needed, withoutWallet: 0, none: 0, some: 0 };
  findings.set(need, known);
  if (leaf.asset === undefined) return;
  const held = heldOf(leaf);
  if (leaf.readings.length === 0) known.withoutWallet += 1;
  else if (held === undefined) return;
  else if (isZero(held)) known.none += 1;
  else {
    known.some += 1;
    const amount = parseDecimal(held);
    if (amount === undefined) return;
    if (known.lowest === undefined || compareDecimals(amount, known.lowest) < 0) known.lowest = amount;
    if (known.highest === undefined || compareDecimals(amount, known.highest) > 0) known.highest = amount;
  }
}

/** `25 members hold 120–9,400 COIN; 1,000,000 needed.` */
function inWords(need: string, { asset, needed, withoutWallet, none, some, ...range }: Findings, names: ReasonNames) {
  if (asset === undefined) return [];
  const token = names.token(asset);
  const hold = (count: number) => counted(count, 'member holds', 'members hold');
  const { lowest, highest } = range;
  const limits = limitsIn(needed);
  const isShown = some >= fewestForRange && lowest !== undefined && highest !== undefined && limits !== undefined;
  return [
    ...(isShown
      ? [`${hold(some)} ${rangeInWords(lowest, highest, limits)} ${token}; ${limits.words ?? need} needed.`]
      : []),
    ...(some > 0 && !isShown ? [`${hold(some)} ${tooLittleOf(needed)}.`] : []),
    ...(none > 0 ? [`${hold(none)} none.`] : []),
    ...(withoutWallet > 0
      ? [`${counted(withoutWallet, 'member has', 'members have')} no linked wallet that can hold it.`]
      : []),
  ];
}

interface Limits {
  min: Decimal;
  max?: Decimal | undefined;
  /** Absent if more than the amount is needed, for example that it is held for some days. */
  words?: string | undefined;
}

function limitsIn(needed: string): Limits | undefined {
  const [, from = '', to, rest] = /^(?:at least|from) ([\d.]+)(?: to ([\d.]+))?(.*)$/s.exec(needed) ?? [];
  const [min, max] = [parseDecimal(from), to === undefined ? undefined : parseDecimal(to)];
  if (min === undefined) return undefined;
  const amount = to === undefined ? grouped(from) : `${grouped(from)} to ${grouped(to)}`;
  return { min, max, words: rest === '' ? amount : undefined };
}

function rangeInWords(lowest: Decimal, highest: Decimal, limits: Limits): string {
  const ends = [lowest, highest].map((amount) => grouped(formatDecimal(roundedAway(amount, limits))));
  return [...new Set(ends)].join('–');
}

/** Two digits, rounded so that an amount which is too small stays below what is needed, and one which is too large above. */
function roundedAway({ units, scale }: Decimal, { max }: Limits): Decimal {
  const surplus = BigInt(Math.max(0, units.toString().length - 2));
  const step = 10n ** surplus;
  const isUp = max !== undefined && compareDecimals({ units, scale }, max) > 0 && units % step > 0n;
  const rounded = { units: (units / step + (isUp ? 1n : 0n)) * step, scale };
  return parseDecimal(formatDecimal(rounded)) ?? rounded;
}
