import type { CommunityRuleRow } from '../../communities/rule-records/index.ts';
import { compositionIn } from './state.ts';

type Ordered = Pick<CommunityRuleRow, 'id' | 'definition'>;

/**
 * Puts the rules of a community into the order that a rule set lists, and those that it does not list last. If the listed ones are in
 * order already, nothing moves. Compositions apply after rules, so only the order within each of the two is one.
 */
export function orderRules<Row extends Ordered>(
  rows: readonly Row[],
  listed: readonly string[],
): { rows: readonly Row[]; isMoved: boolean; movedCompositions: readonly Row[] } {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const wanted = listed.flatMap((id) => byId.get(id) ?? []);
  const isListed = new Set<Row>(wanted);
  const now = rows.filter((row) => isListed.has(row));
  const compositions = (some: readonly Row[]) => some.filter(isComposition);
  const others = (some: readonly Row[]) => some.filter((row) => !isComposition(row));
  const areComposed = isSame(compositions(now), compositions(wanted));
  if (areComposed && isSame(others(now), others(wanted))) return { rows, isMoved: false, movedCompositions: [] };
  return {
    rows: [...wanted, ...rows.filter((row) => !isListed.has(row))],
    isMoved: true,
    movedCompositions: areComposed ? [] : compositions(wanted),
  };
}

function isComposition({ definition }: Ordered): boolean {
  return compositionIn(definition) !== undefined;
}

function isSame<Row>(one: readonly Row[], other: readonly Row[]): boolean {
  return one.every((row, index) => row === other[index]);
}
