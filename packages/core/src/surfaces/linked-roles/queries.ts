import { asJson, type Sealed, type Sql, sql, type Tx } from '@latchkey/db';
import type { LinkedRoleValues } from './records.ts';

export interface RoleConnectionRow {
  user_id: string;
  user_name: string;
  /** Null once Discord refuses them; see `lost_at`. */
  access_token: Sealed | null;
  refresh_token: Sealed | null;
  expires_at: Date;
  linked_at: Date;
  sent: LinkedRoleValues | null;
  sent_at: Date | null;
  lost_at: Date | null;
  due_at: Date;
}

export interface RoleConnectionEndingRow {
  id: string;
  /** Null once the person was erased. */
  user_id: string | null;
  access_token: Sealed;
  refresh_token: Sealed;
  expires_at: Date;
  ended_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    role_connections: RoleConnectionRow;
    role_connection_endings: RoleConnectionEndingRow;
    role_connection_changes: { id: number; user_id: string };
  }
}

export function selectConnection(db: Sql, userId: string): Promise<RoleConnectionRow | undefined> {
  return db.selectFrom('role_connections').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

export async function putConnection(tx: Tx, row: RoleConnectionRow): Promise<void> {
  const { user_id: _, ...changes } = row;
  await tx
    .insertInto('role_connections')
    .values({ ...row, sent: null })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ ...changes, sent: null }))
    .execute();
}

/** Updates a connection only if it is still the one that was read. */
export async function changeConnection(
  db: Sql,
  { user_id, linked_at }: Pick<RoleConnectionRow, 'user_id' | 'linked_at'>,
  changes: Partial<Omit<RoleConnectionRow, 'user_id' | 'linked_at' | 'sent'>> & { sent?: LinkedRoleValues },
): Promise<void> {
  const { sent, ...plain } = changes;
  await db
    .updateTable('role_connections')
    .set({ ...plain, ...(sent !== undefined && { sent: asJson(sent) }) })
    .where('user_id', '=', user_id)
    .where('linked_at', '=', linked_at)
    .execute();
}

export function takeConnection(tx: Tx, userId: string): Promise<RoleConnectionRow | undefined> {
  return tx.deleteFrom('role_connections').where('user_id', '=', userId).returningAll().executeTakeFirst();
}

/** Removes and returns the users whose values may have changed, without duplicates. */
export async function takeChanged(tx: Tx, limit: number): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    delete from role_connection_changes where id in (
      select id from role_connection_changes order by id limit ${limit} for update skip locked
    ) returning user_id`.execute(tx);
  return [...new Set(rows.map(({ user_id }) => user_id))];
}

/** Claims connections that were not checked for long, and postpones their next check. */
export async function claimDue(tx: Tx, now: Date, until: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    update role_connections set due_at = ${until} where user_id in (
      select user_id from role_connections where due_at <= ${now} and lost_at is null
      order by due_at limit ${limit} for update skip locked
    ) returning user_id`.execute(tx);
  return rows.map(({ user_id }) => user_id);
}

export async function insertEnding(tx: Tx, row: RoleConnectionEndingRow): Promise<void> {
  await tx.insertInto('role_connection_endings').values(row).execute();
}

export function selectEnding(db: Sql, id: string): Promise<RoleConnectionEndingRow | undefined> {
  return db.selectFrom('role_connection_endings').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function changeEnding(
  db: Sql,
  id: string,
  tokens: Pick<RoleConnectionEndingRow, 'access_token' | 'refresh_token' | 'expires_at'>,
): Promise<void> {
  await db.updateTable('role_connection_endings').set(tokens).where('id', '=', id).execute();
}

export async function deleteEnding(db: Sql, id: string): Promise<void> {
  await db.deleteFrom('role_connection_endings').where('id', '=', id).execute();
}

export async function deleteEndingsOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('role_connection_endings').where('user_id', '=', userId).execute();
}

export async function deleteEndingsBefore(db: Sql, before: Date): Promise<void> {
  await db.deleteFrom('role_connection_endings').where('ended_at', '<', before).execute();
}

/** Keeps what still has to be revoked, but removes the owner's id. */
export async function forgetPerson(tx: Tx, userId: string): Promise<void> {
  await tx.updateTable('role_connection_endings').set({ user_id: null }).where('user_id', '=', userId).execute();
  await tx.deleteFrom('role_connection_changes').where('user_id', '=', userId).execute();
}
