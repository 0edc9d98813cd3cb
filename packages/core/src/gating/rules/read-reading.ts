import type { Definition } from './definition.ts';
import { isObject } from './is-object.ts';
import type { Problems } from './problems.ts';
import type { Asset, Reading, SafeLeaf } from './rule.ts';

const maxHeldForSeconds = 10 * 366 * 24 * 60 * 60;

/** Reads how holdings are looked at: `_sumWallets`, `_heldForSeconds`, `_atBlock`, `_delegation`. */
export function readReading({ variables }: Definition, asset: Asset, path: string, problems: Problems): Reading {
  const at = (name: string) => `${path}/variables/${name}`;
  const { _heldForSeconds: heldFor, _atBlock: block } = variables;
  const isDuration = Number.isInteger(heldFor) && Number(heldFor) > 0 && Number(heldFor) <= maxHeldForSeconds;
  if (heldFor !== undefined && !isDuration) {
    problems.add(at('_heldForSeconds'), 'range', 'this is a whole number of seconds, up to ten years.');
  }
  const isBlock = /^\d{1,18}$/.test(String(block));
  if (block !== undefined && !isBlock) problems.add(at('_atBlock'), 'pattern', 'a block is a whole number.');
  if (block !== undefined && heldFor !== undefined) {
    problems.add(at('_atBlock'), 'conflict', 'a rule looks at one block or at a time since, not at both.');
  }
  const delegation = readFlag(variables._delegation, at('_delegation'), problems);
  if (delegation && !asset.chain.startsWith('evm:')) {
    problems.add(at('_delegation'), 'chain', 'wallets can be delegated on EVM chains only.');
  }
  return {
    sumWallets: readFlag(variables._sumWallets, at('_sumWallets'), problems),
    delegation,
    ...(isDuration && { heldForSeconds: Number(heldFor) }),
    ...(isBlock && { atBlock: BigInt(String(block)).toString() }),
  };
}

/** Reads `_owners`: `first`, `any` or `{atLeast: m}`. Any owner counts unless it says otherwise. */
export function readOwners({ variables }: Definition, path: string, problems: Problems): SafeLeaf['owners'] {
  const { _owners: owners = 'any' } = variables;
  if (owners === 'first') return 'first';
  if (owners === 'any') return 1;
  const count = isObject(owners) ? owners.atLeast : undefined;
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= 50) return count;
  problems.add(`${path}/variables/_owners`, 'enum', 'owners are "first", "any" or {"atLeast": m} with m from 1 to 50.');
  return 1;
}

function readFlag(value: unknown, path: string, problems: Problems): boolean {
  if (value !== undefined && typeof value !== 'boolean') problems.add(path, 'type', 'this is true or false.');
  return value === true;
}
