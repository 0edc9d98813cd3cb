import type { Sql } from '@latchkey/db';
import { selectRolesOf } from '../../communities/memberships/index.ts';
import { selectGrantedSince } from '../../gating/role-changes/index.ts';
import { countLinkedWallets } from '../../identity/wallets/index.ts';
import type { LinkedRoleValues } from './records.ts';

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
