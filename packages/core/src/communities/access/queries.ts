import { type Sql, sql, type Tx } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';
import { type CommunityFilter, communityStates, giveToHeirs } from '../community-records/index.ts';
import { administeredBy } from './admin-queries.ts';

/** An application with access to a community, and its scopes there. */
export interface ApplicationAccessRow {
  community_id: string;
  client_id: string;
  scopes: string[];
  granted_by_id: string;
  granted_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    community_access: ApplicationAccessRow;
  }
}

export function selectAccessOf(db: Sql, communityId: string): Promise<ApplicationAccessRow[]> {
  return db
    .selectFrom('community_access')
    .selectAll()
    .where('community_id', '=', communityId)
    .orderBy('granted_at')
    .orderBy('client_id')
    .execute();
}

/** Which of these communities granted an application one of these scopes. */
export async function selectOpenTo(
  db: Sql,
  clientId: string,
  communityIds: readonly string[],
  scopes: readonly string[],
): Promise<string[]> {
  if (communityIds.length === 0 || scopes.length === 0) return [];
  const rows = await db
    .selectFrom('community_access')
    .select('community_id')
    .where('client_id', '=', clientId)
    .where('community_id', '=', (eb) => eb.fn.any(eb.val([...communityIds])))
    .where(sql<boolean>`scopes && ${[...scopes]}::text[]`)
    .execute();
  return rows.map(({ community_id }) => community_id);
}

/** Whether an application has access to a community, with any scope. */
export async function isLetIn(db: Sql, clientId: string, communityId: string): Promise<boolean> {
  const row = await db
    .selectFrom('community_access')
    .select('client_id')
    .where('client_id', '=', clientId)
    .where('community_id', '=', communityId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function putAccess(tx: Tx, row: ApplicationAccessRow): Promise<void> {
  const { scopes, granted_by_id, granted_at } = row;
  await tx
    .insertInto('community_access')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['community_id', 'client_id']).doUpdateSet({ scopes, granted_by_id, granted_at }),
    )
    .execute();
}

/** Returns false if the application had no access. */
export async function deleteAccess(tx: Tx, communityId: string, clientId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('community_access')
    .where('community_id', '=', communityId)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Filters communities to those that a user is an admin of, and those that granted an application read access. */
export function readableBy(userId: string, clientId: string | undefined): CommunityFilter {
  const administered = administeredBy(userId);
  if (clientId === undefined) return administered;
  return (id) => sql<boolean>`(${administered(id)} or ${id} in (
    select community_id from community_access where client_id = ${clientId} and 'community:read' = any (scopes)))`;
}

/**
 * Removes a person from the communities that they managed. A community belongs to its members, so it stays: the
 * longest-serving admin becomes its owner and the sponsor of the admins that the person had added, and is then an admin
 * only if the platform confirms it. Without such an admin, the community is paused until the operator transfers it.
 */
export const accessErasure: Erasure = {
  columns: [
    'communities.owner_id',
    'community_admins.user_id',
    'community_admins.named_by',
    'community_access.granted_by_id',
  ],
  stage: 'at-once',
  forget: async (ctx, tx, { userId, pseudonym }) => {
    await tx.deleteFrom('community_admins').where('user_id', '=', userId).execute();
    await giveToHeirs(
      tx,
      userId,
      (communityId) => sql<{ user_id: string }>`
        select user_id from community_admins where community_id = ${communityId} order by added_at, user_id limit 1`,
      ctx.clock(),
    );
    await sql`
      update community_admins a set named_by = nullif(c.owner_id, a.user_id)
      from (${communityStates}) c where c.id = a.community_id and a.named_by = ${userId}`.execute(tx);
    await tx
      .updateTable('community_access')
      .set({ granted_by_id: pseudonym })
      .where('granted_by_id', '=', userId)
      .execute();
  },
};
