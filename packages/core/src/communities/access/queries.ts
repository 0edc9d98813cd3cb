import { type Sql, sql, type Tx } from '@latchkey/db';
import type { CommunityFilter } from '../community-records/index.ts';
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
