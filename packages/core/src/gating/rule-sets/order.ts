import { isTagRole } from '@latchkey/kernel';
import type { CommunityRuleRow } from '../../communities/rule-records/index.ts';
import { compositionIn } from './state.ts';

type Ordered = Pick<CommunityRuleRow, 'id' | 'role_id' | 'definition'>;

/**
 * Puts the rules of a community into the order that a rule set lists, and those that it does not list last. If the listed ones are in
 * order already, nothing moves. Compositions apply after rules, so only the order within each of the two is one. `decisive` are the
 * moved rules whose order decides what members get: compositions of one role override each other, and of several tags the first ones
 * that fit are given.
 */
export function orderRules<Row extends Ordered>(
  rows: readonly Row[],
  listed: readonly string[],
): { rows: readonly Row[]; isMoved: boolean; decisive: readonly Row[] } {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const wanted = listed.flatMap((id) => byId.get(id) ?? []);
  const isListed = new Set<Row>(wanted);
  const now = rows.filter((row) => isListed.has(row));
  const compositions = (some: readonly Row[]) => some.filter(isComposition);
  const others = (some: readonly Row[]) => some.filter((row) => !isComposition(row));
  const areComposed = isSame(compositions(now), compositions(wanted));
  if (areComposed && isSame(others(now), others(wanted))) return { rows, isMoved: false, decisive: [] };
  const tags = (some: readonly Row[]) => others(some).filter((row) => isTagRole(row.role_id));
  const areTagged = isSame(tags(now), tags(wanted));
  return {
    rows: [...wanted, ...rows.filter((row) => !isListed.has(row))],
    isMoved: true,
    decisive: [...(areComposed ? [] : compositions(wanted)), ...(areTagged ? [] : tags(wanted))],
  };
}

function isComposition({ definition }: Ordered): boolean {
  return compositionIn(definition) !== undefined;
}

function isSame<Row>(one: readonly Row[], other: readonly Row[]): boolean {
  return one.every((row, index) => row === other[index]);
}
