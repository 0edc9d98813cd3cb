import type { Sql, Tx } from '@latchkey/db';
import './tables.ts';

/** Stands for every role of a community. */
const everyRole = '*';

/** Something a person must change on the platform before roles can be written again. */
export interface RoleStop {
  /** Absent when no role at all can be written. */
  roleId?: string;
  advice: string;
  since: Date;
}

export async function putStop(
  tx: Sql,
  communityId: string,
  { roleId = everyRole, advice }: Pick<RoleStop, 'roleId' | 'advice'>,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('role_stops')
    .values({ community_id: communityId, role_id: roleId, advice, since: now })
    .onConflict((conflict) => conflict.columns(['community_id', 'role_id']).doUpdateSet({ advice }))
    .execute();
}

export async function selectStops(db: Sql, communityId: string): Promise<RoleStop[]> {
  const rows = await db
    .selectFrom('role_stops')
    .select(['role_id', 'advice', 'since'])
    .where('community_id', '=', communityId)
    .orderBy('role_id')
    .execute();
  return rows.map(({ role_id, advice, since }) => ({
    ...(role_id !== everyRole && { roleId: role_id }),
    advice,
    since,
  }));
}

/** Lifts the stop of one role. Answers whether there was one. */
export async function deleteStop(tx: Tx, communityId: string, roleId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('role_stops')
    .where('community_id', '=', communityId)
    .where('role_id', '=', roleId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Tries again. Answers whether anything was stopped. */
export async function deleteStops(tx: Tx, communityId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('role_stops')
    .where('community_id', '=', communityId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
