import { asJson, type Hashed, type Sealed, type Sql, sql } from '@latchkey/db';

export const artifactKinds = ['session', 'interaction', 'code', 'refresh-token', 'pushed-request'] as const;
export type ArtifactKind = (typeof artifactKinds)[number];

export interface ArtifactRow {
  kind: ArtifactKind;
  id_hash: Hashed;
  uid_hash: Hashed | null;
  user_id: string | null;
  grant_id: string | null;
  content: Sealed;
  consumed_at: Date | null;
  expires_at: Date;
}

export interface GrantRow {
  id: string;
  user_id: string;
  client_id: string;
  content: Record<string, unknown>;
  created_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    oauth_accounts: { user_id: string; platform: string; name: string | null; seen_at: Date };
    oauth_artifacts: ArtifactRow;
    oauth_grants: GrantRow;
  }
}

/** Stores an artifact; a consumed one stays consumed. */
export async function upsertArtifact(db: Sql, row: Omit<ArtifactRow, 'consumed_at'>): Promise<void> {
  const { uid_hash, user_id, grant_id, content, expires_at } = row;
  await db
    .insertInto('oauth_artifacts')
    .values({ ...row, consumed_at: null })
    .onConflict((conflict) =>
      conflict.columns(['kind', 'id_hash']).doUpdateSet({ uid_hash, user_id, grant_id, content, expires_at }),
    )
    .execute();
}

export function selectArtifact(db: Sql, kind: ArtifactKind, idHash: Hashed): Promise<ArtifactRow | undefined> {
  return db
    .selectFrom('oauth_artifacts')
    .selectAll()
    .where('kind', '=', kind)
    .where('id_hash', '=', idHash)
    .executeTakeFirst();
}

export function selectByUid(db: Sql, kind: ArtifactKind, uidHash: Hashed): Promise<ArtifactRow | undefined> {
  return db
    .selectFrom('oauth_artifacts')
    .selectAll()
    .where('uid_hash', '=', uidHash)
    .where('kind', '=', kind)
    .executeTakeFirst();
}

/** Returns true for only one of any number of concurrent callers. */
export async function markConsumed(db: Sql, kind: ArtifactKind, idHash: Hashed, now: Date): Promise<boolean> {
  const update = db
    .updateTable('oauth_artifacts')
    .set({ consumed_at: now })
    .where('kind', '=', kind)
    .where('id_hash', '=', idHash)
    .where('consumed_at', 'is', null);
  return (await update.executeTakeFirst()).numUpdatedRows === 1n;
}

export async function deleteArtifact(db: Sql, kind: ArtifactKind, idHash: Hashed): Promise<void> {
  await db.deleteFrom('oauth_artifacts').where('kind', '=', kind).where('id_hash', '=', idHash).execute();
}

export async function upsertGrant(db: Sql, row: Omit<GrantRow, 'revoked_at'>): Promise<void> {
  const content = asJson(row.content);
  await db
    .insertInto('oauth_grants')
    .values({ ...row, content, revoked_at: null })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ content, expires_at: row.expires_at }))
    .execute();
}

/** Finds a grant that has not been ended; it may have expired. */
export function selectGrant(db: Sql, id: string): Promise<GrantRow | undefined> {
  return db
    .selectFrom('oauth_grants')
    .selectAll()
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
}

/** Ends grants, and with them every code and token issued from them. */
export async function markGrantsRevoked(
  db: Sql,
  which: { id: string } | { userId: string; clientId: string },
  now: Date,
): Promise<void> {
  const update = db.updateTable('oauth_grants').set({ revoked_at: now }).where('revoked_at', 'is', null);
  if ('id' in which) await update.where('id', '=', which.id).execute();
  else await update.where('user_id', '=', which.userId).where('client_id', '=', which.clientId).execute();
}

export async function upsertAccount(
  db: Sql,
  row: { user_id: string; platform: string; name: string | null; seen_at: Date },
): Promise<void> {
  const { platform, name, seen_at } = row;
  await db
    .insertInto('oauth_accounts')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ platform, name, seen_at }))
    .execute();
}

export function selectAccount(
  db: Sql,
  userId: string,
): Promise<{ user_id: string; platform: string; name: string | null } | undefined> {
  return db
    .selectFrom('oauth_accounts')
    .select(['user_id', 'platform', 'name'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/** Deletes up to `limit` rows of a table that expired before a time, and returns how many there were. */
export async function deleteExpired(
  db: Sql,
  table: 'oauth_artifacts' | 'oauth_grants',
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where expires_at < ${before} limit ${limit}))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

export async function deleteAllOf(db: Sql, userId: string): Promise<void> {
  for (const table of ['oauth_artifacts', 'oauth_grants', 'oauth_accounts'] as const)
    await db.deleteFrom(table).where('user_id', '=', userId).execute();
}

/** Ends a user's browser sessions and pending authorization requests. */
export async function deleteBrowserSessions(db: Sql, userId: string): Promise<void> {
  await db
    .deleteFrom('oauth_artifacts')
    .where('user_id', '=', userId)
    .where('kind', 'in', ['session', 'interaction'])
    .execute();
}
