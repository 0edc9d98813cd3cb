import type { Sql, Tx } from '@latchkey/db';

declare module '@latchkey/db/tables' {
  interface Tables {
    retired_roles: { community_id: string; role_id: string; since: Date };
  }
}

/** The roles whose rule was deleted with the choice to take them from the members who got them from Latchkey. */
export async function selectRetiredRoles(db: Sql, communityId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('retired_roles')
    .select('role_id')
    .where('community_id', '=', communityId)
    .orderBy('role_id')
    .execute();
  return rows.map(({ role_id }) => role_id);
}

export async function retireRole(tx: Tx, communityId: string, roleId: string, now: Date): Promise<void> {
  await tx
    .insertInto('retired_roles')
    .values({ community_id: communityId, role_id: roleId, since: now })
    .onConflict((conflict) => conflict.columns(['community_id', 'role_id']).doNothing())
    .execute();
}

export async function endRetirement(tx: Tx, communityId: string, roleIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('retired_roles')
    .where('community_id', '=', communityId)
    .where('role_id', '=', (eb) => eb.fn.any(eb.val([...roleIds])))
    .execute();
}
