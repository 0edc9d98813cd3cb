import { formatDecimal } from '../../shared/decimal.ts';
import type { AssetLeaf, RoleComposition } from './rule.ts';

export const neededPass = 'a guest pass that counts';

/** What a rule about an asset needs, in words. */
export function describeNeeded(leaf: AssetLeaf): string {
  const { heldForSeconds, atBlock, sumWallets } = leaf.reading;
  const since = heldForSeconds === undefined ? '' : `, for ${heldForSeconds} seconds`;
  const block = atBlock === undefined ? '' : `, at block ${atBlock}`;
  return `${describeAmount(leaf)}${sumWallets ? ' in all wallets together' : ''}${since}${block}`;
}

function describeAmount(leaf: AssetLeaf): string {
  if (leaf.kind === 'traits') return 'tokens with the traits of the filter';
  if (leaf.kind === 'query') return `a yes to ${leaf.query.text.slice(0, 200)}`;
  if (leaf.kind === 'safe') return leaf.owners === 'first' ? 'the first owner' : `${leaf.owners} of the owners`;
  const { min, max } = leaf;
  return max === undefined ? `at least ${formatDecimal(min)}` : `from ${formatDecimal(min)} to ${formatDecimal(max)}`;
}

/** The roles that a composition looks at, by their ids. */
export function describeComposition({ condition, operator }: Pick<RoleComposition, 'condition' | 'operator'>): string {
  return Object.entries(condition)
    .map(([id, isHeld]) => `${isHeld ? '' : 'not '}${id}`)
    .join(` ${operator} `);
}
