import { formatDecimal } from '../../shared/decimal.ts';
import type { AssetLeaf, RoleComposition } from './rule.ts';
import type { TokenFilter, TraitFilter, TraitTest } from './traits.ts';

export const neededPass = 'a guest pass that counts';

/** Describes what a rule about an asset requires. */
export function describeNeeded(leaf: AssetLeaf): string {
  const { heldForSeconds, atBlock, sumWallets } = leaf.reading;
  const since = heldForSeconds === undefined ? '' : `, for ${heldForSeconds} seconds`;
  const block = atBlock === undefined ? '' : `, at block ${atBlock}`;
  return `${describeAmount(leaf)}${sumWallets ? ' in all wallets together' : ''}${since}${block}`;
}

function describeAmount(leaf: AssetLeaf): string {
  if (leaf.kind === 'traits')
    return `${leaf.label === 'twitter' ? 'a profile' : 'tokens'} with ${describeTraits(leaf.filter)}`;
  if (leaf.kind === 'query') return `a yes to ${leaf.query.text.slice(0, 200)}`;
  if (leaf.kind === 'safe') return leaf.owners === 'first' ? 'the first owner' : `${leaf.owners} of the owners`;
  const { min, max } = leaf;
  return max === undefined ? `at least ${formatDecimal(min)}` : `from ${formatDecimal(min)} to ${formatDecimal(max)}`;
}

const longestTraits = 300;

/** Describes the traits of a filter: `Eyes = Laser and Level > 5, or Hat = Crown on at least 2`. */
function describeTraits({ condition, filters }: TraitFilter): string {
  if (filters.length === 0) return 'any traits';
  const words = filters.map(describeSort).join(`, ${condition} `);
  return words.length <= longestTraits ? words : `${words.slice(0, longestTraits - 1)}…`;
}

function describeSort({ minCount, maxCount, condition, traits }: TokenFilter): string {
  const words = traits.map(describeTrait).join(` ${condition} `) || 'no trait';
  const [least, most] = [formatDecimal(minCount), maxCount && formatDecimal(maxCount)];
  if (most !== undefined) return `${words} on ${least} to ${most}`;
  return least === '1' ? words : `${words} on at least ${least}`;
}

function describeTrait(trait: TraitTest): string {
  const type = trait.type.slice(0, 100);
  // A query over the value of the trait: `$ > 5`.
  if ('query' in trait) return `${type} ${trait.query.text.replace(/^\$\s*/, '').slice(0, 100)}`;
  const value = typeof trait.value === 'string' ? trait.value : JSON.stringify(trait.value);
  return `${type} = ${String(value).slice(0, 100)}`;
}

/** Describes the roles that a composition depends on, by id. */
export function describeComposition({ condition, operator }: Pick<RoleComposition, 'condition' | 'operator'>): string {
  return Object.entries(condition)
    .map(([id, isHeld]) => `${isHeld ? '' : 'not '}${id}`)
    .join(` ${operator} `);
}
