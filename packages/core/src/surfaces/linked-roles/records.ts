import type { Sql } from '@latchkey/db';
import { selectRolesOf } from '../../communities/memberships/index.ts';
import { selectGrantedSince } from '../../gating/role-changes/index.ts';
import { countLinkedWallets } from '../../identity/wallets/index.ts';
import type { LinkedRoleRecord } from '../../ports/index.ts';

/** The linked-role values, in the order in which Discord shows them. It accepts five at most. */
export const linkedRoleRecords = [
  {
    key: 'wallets',
    name: 'Wallets linked',
    description: 'How many wallets the member has linked',
    comparison: 'integer-at-least',
  },
  {
    key: 'roles',
    name: 'Roles earned',
    description: 'How many roles the member has from token rules, across all communities',
    comparison: 'integer-at-least',
  },
  {
    key: 'communities',
    name: 'Communities',
    description: 'In how many communities the member has a role from a token rule',
    comparison: 'integer-at-least',
  },
  {
    key: 'holder_since',
    name: 'Days as a holder',
    description: 'Days since the member got the oldest role they still have from a token rule',
    comparison: 'days-since-at-least',
  },
] as const satisfies readonly LinkedRoleRecord[];

type LinkedRoleKey = (typeof linkedRoleRecords)[number]['key'];

/** The values of one user. A missing key is a value that they do not have. */
export type LinkedRoleValues = Readonly<Partial<Record<LinkedRoleKey, string>>>;

export function areSame(one: LinkedRoleValues, other: LinkedRoleValues): boolean {
  return linkedRoleRecords.every(({ key }) => one[key] === other[key]);
}

/**
 * Returns a user's current values. Roles are taken from the ledger, which contains only what was evaluated and applied,
 * so that an unreadable chain or platform lowers nothing.
 */
export async function readValues(db: Sql, userId: string): Promise<LinkedRoleValues> {
  const [wallets, memberships] = await Promise.all([countLinkedWallets(db, userId), selectRolesOf(db, userId)]);
  const rolesIn = new Map(memberships.map(({ community_id, role_ids }) => [community_id, new Set(role_ids)]));
  const granted = await selectGrantedSince(db, userId, [...rolesIn.keys()]);
  const held = granted.filter(({ community_id, role_id }) => rolesIn.get(community_id)?.has(role_id) === true);
  const [oldest] = held.map(({ since }) => since).toSorted((a, b) => a.getTime() - b.getTime());
  return {
    wallets: String(wallets),
    roles: String(held.length),
    communities: String(new Set(held.map(({ community_id }) => community_id)).size),
    ...(oldest !== undefined && { holder_since: oldest.toISOString() }),
  };
}
