import type { TokenIdSet } from '@latchkey/kernel';
import type { Decimal } from '../../shared/decimal.ts';
import type { Query } from './queries/read-query.ts';
import type { TraitFilter } from './traits.ts';

/** A parsed and validated rule of a community or a request: members who meet the condition qualify for the role. */
export interface Rule {
  id?: string;
  roleId: string;
  condition: Condition;
}

export type Condition = Group | Leaf;

export type Group =
  | { kind: 'and' | 'or'; parts: readonly Condition[] }
  | { kind: 'not'; part: Condition }
  | { kind: 'at-least'; count: number; parts: readonly Condition[] };

export type Leaf = AssetLeaf | GuestPassLeaf | CompositionLeaf;

/** Conditions that are concealed from members: they learn at most that one exists. */
export type Concealment = 'secret' | 'hidden';

interface MayBeConcealed {
  concealed?: Concealment;
}

/** A leaf that concerns holdings. */
export type AssetLeaf = HoldingLeaf | SafeLeaf | TraitsLeaf | QueryLeaf;

/** What is read: the fields of a question, without the account. */
export interface Asset {
  chain: string;
  standard: string;
  reference: string;
  /** Only these tokens count; a text that starts with http is the URL of a list. */
  tokenIds?: TokenIdSet | { url: string };
  details?: Readonly<Record<string, string>>;
}

/** How holdings are read. */
export interface Reading {
  /** The linked wallets are summed instead of counted separately. */
  sumWallets: boolean;
  /** The amount must have been held for this long. */
  heldForSeconds?: number;
  /** The value at this block counts, not the latest. */
  atBlock?: string;
  /** Wallets that delegated to a linked wallet count too (delegate.xyz v2). */
  delegation: boolean;
}

interface OfAsset extends MayBeConcealed {
  /** The display name of the rule kind. */
  label: string;
  asset: Asset;
  reading: Reading;
}

/** An amount of an asset, bounds included. */
export interface HoldingLeaf extends OfAsset {
  kind: 'holding';
  min: Decimal;
  max?: Decimal;
}

/** Owners of a Safe: the first owner, any owner, or a member who linked a number of them. */
export interface SafeLeaf extends OfAsset {
  kind: 'safe';
  owners: 'first' | number;
}

export interface TraitsLeaf extends OfAsset {
  kind: 'traits';
  filter: TraitFilter;
}

/** A JSONata query over what an account holds of the asset. */
export interface QueryLeaf extends OfAsset {
  kind: 'query';
  query: Query;
  variables: Readonly<Record<string, unknown>>;
  needs: 'tokens' | 'metadata';
}

/** Guest passes, which are not holdings: the caller provides them. */
export interface GuestPassLeaf extends MayBeConcealed {
  kind: 'guest-pass';
  label: string;
  filter: TraitFilter;
}

/** A role that follows from other roles; `composeRoles` applies it once those are decided. */
export interface CompositionLeaf extends MayBeConcealed {
  kind: 'composition';
  label: string;
  composition: RoleComposition;
}

export interface RoleComposition {
  action: 'add' | 'remove' | 'addOrRemove' | 'removeOrAdd';
  roleId: string;
  operator: 'and' | 'or';
  /** The roles it depends on, and whether each must be held or absent. */
  condition: Readonly<Record<string, boolean>>;
}

/** The leaves of a condition, from left to right. */
export function leavesOf(condition: Condition): Leaf[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
    case 'at-least':
      return condition.parts.flatMap(leavesOf);
    case 'not':
      return leavesOf(condition.part);
    default:
      return [condition];
  }
}

/** The leaves that concern holdings. */
export function assetLeavesOf({ condition }: Pick<Rule, 'condition'>): AssetLeaf[] {
  return leavesOf(condition).filter((leaf) => 'asset' in leaf);
}

/** The composition of a rule, if it is one. */
export function compositionOf({ condition }: Pick<Rule, 'condition'>): RoleComposition | undefined {
  return condition.kind === 'composition' ? condition.composition : undefined;
}
