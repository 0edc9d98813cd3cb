import { type Database, type Hashed, oneFor, type Sql, shareReads, sql } from '@latchkey/db';
import type { PersonCredential } from '@latchkey/kernel';

export interface AccessTokenRow {
  token_hash: Hashed;
  user_id: string | null;
  platform: string | null;
  user_name: string | null;
  client_id: string | null;
  scopes: string[];
  issued_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
  /** The grant it came from, if a user gave one: it ends with that. */
  grant_id: string | null;
  /** Data that the provider library needs again; nothing secret. */
  details: Record<string, unknown> | null;
  /** The roles and holdings that the token relies on: it is valid as long as they are. */
  relied_on: Record<string, unknown> | null;
}

export interface AdminKeyRow {
  id: string;
  name: string;
  key_hash: Hashed;
  created_at: Date;
  revoked_at: Date | null;
  expires_at: Date | null;
  /** Single addresses or networks; empty means any. */
  allowed_ip_addresses: string[];
}

declare module '@latchkey/db/tables' {
  interface Tables {
    access_tokens: AccessTokenRow;
    admin_keys: AdminKeyRow;
    revoked_tokens: { jti: string; expires_at: Date };
    used_nonces: { nonce_hash: Hashed; expires_at: Date };
  }
}

// Credentials are looked up on each request: a named statement is planned once per connection. It lists its columns,
// since `select *` would fail when a migration adds a column.
async function findOne<Row extends object>(
  db: Database,
  name: string,
  text: string,
  value: string,
): Promise<Row | undefined> {
  const { rows } = await db.pool.query<Row>({ name, text, values: [value] });
  return rows[0];
}

const tokensByHash = oneFor((pool: Database['pool']) =>
  shareReads(async (hashes) => {
    const { rows } = await pool.query<AccessTokenRow>({
      name: 'find-access-tokens',
      text: `select token_hash, user_id, platform, user_name, client_id, scopes, issued_at, expires_at, revoked_at, grant_id,
          details, relied_on
        from access_tokens where token_hash = any($1::text[])`,
      values: [hashes],
    });
    return new Map(rows.map((row) => [row.token_hash, row]));
  }),
);

export function findAccessToken(db: Database, hash: Hashed): Promise<Readonly<AccessTokenRow> | undefined> {
  return tokensByHash(db.pool)(hash);
}

export function findAdminKey(db: Database, hash: Hashed): Promise<AdminKeyRow | undefined> {
  const text = `select id, name, key_hash, created_at, revoked_at, expires_at, allowed_ip_addresses
    from admin_keys where key_hash = $1`;
  return findOne<AdminKeyRow>(db, 'find-admin-key', text, hash);
}

/** Returns which of these are revoked, and when their entries expire. */
export async function findRevoked(db: Database, jtis: readonly string[]): Promise<Map<string, Date>> {
  const { rows } = await db.pool.query<{ jti: string; expires_at: Date }>({
    name: 'find-revoked-tokens',
    text: 'select jti, expires_at from revoked_tokens where jti = any($1)',
    values: [jtis],
  });
  return new Map(rows.map((row) => [row.jti, row.expires_at]));
}

/** Returns false if the nonce was used before. */
export async function burnNonce(db: Sql, hash: Hashed, expiresAt: Date): Promise<boolean> {
  const burnt = await db
    .insertInto('used_nonces')
    .values({ nonce_hash: hash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return burnt.numInsertedOrUpdatedRows === 1n;
}

export async function isNonceBurnt(db: Sql, hash: Hashed): Promise<boolean> {
  const used = await db
    .selectFrom('used_nonces')
    .select('nonce_hash')
    .where('nonce_hash', '=', hash)
    .executeTakeFirst();
  return used !== undefined;
}

export async function insertRevoked(db: Sql, jti: string, expiresAt: Date): Promise<void> {
  await db
    .insertInto('revoked_tokens')
    .values({ jti, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('jti').doUpdateSet({ expires_at: expiresAt }))
    .execute();
}

export async function insertAccessToken(db: Sql, row: AccessTokenRow): Promise<void> {
  await db.insertInto('access_tokens').values(row).execute();
}

export async function markAccessTokenRevoked(db: Sql, hash: Hashed, now: Date): Promise<void> {
  await db
    .updateTable('access_tokens')
    .set({ revoked_at: now })
    .where('token_hash', '=', hash)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Revokes every token that an application has from a user. */
export async function markTokensRevoked(db: Sql, userId: string, clientId: string, now: Date): Promise<void> {
  await db
    .updateTable('access_tokens')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Ends a user's access tokens that were issued to no application. */
export async function endTokensOf(db: Sql, userId: string, now: Date): Promise<void> {
  await db
    .updateTable('access_tokens')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('client_id', 'is', null)
    .where('revoked_at', 'is', null)
    .execute();
}

/** A token without an application is shown to its user by the start of its hash, which grants no access. */
const shownHashLength = 32;

/** Lists a user's active access tokens without an application, as sessions. */
export async function selectTokensOf(db: Sql, userId: string, now: Date): Promise<(AccessTokenRow & { id: string })[]> {
  const rows = await db
    .selectFrom('access_tokens')
    .selectAll()
    .where('user_id', '=', userId)
    .where('client_id', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('issued_at', 'desc')
    .limit(100)
    .execute();
  return rows.map((row) => ({ ...row, id: row.token_hash.slice(0, shownHashLength) }));
}

/** Ends such a token by its id; false if the user has none. */
export async function endTokenOf(db: Sql, userId: string, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('access_tokens')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('client_id', 'is', null)
    .where('revoked_at', 'is', null)
    .where(sql<string>`left(token_hash, ${shownHashLength})`, '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function insertAdminKey(db: Sql, row: AdminKeyRow): Promise<void> {
  await db.insertInto('admin_keys').values(row).execute();
}

export async function markAdminKeyRevoked(db: Sql, id: string, now: Date): Promise<boolean> {
  const update = db
    .updateTable('admin_keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null);
  return (await update.executeTakeFirst()).numUpdatedRows === 1n;
}

export function selectAdminKeys(db: Sql): Promise<Omit<AdminKeyRow, 'key_hash'>[]> {
  return db
    .selectFrom('admin_keys')
    .select(['id', 'name', 'created_at', 'revoked_at', 'expires_at', 'allowed_ip_addresses'])
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
}

export async function countAdminKeyRows(db: Sql, now: Date): Promise<{ usable: number; ever: number }> {
  const { rows } = await sql<{ usable: number; ever: number }>`
    select count(*) filter (where revoked_at is null and (expires_at is null or expires_at > ${now})) as usable,
      count(*) as ever
    from admin_keys`.execute(db);
  return rows[0] ?? { usable: 0, ever: 0 };
}

/** Makes other writers of the table wait until the transaction ends. */
export async function lockAdminKeys(db: Sql): Promise<void> {
  await sql`lock table admin_keys in share row exclusive mode`.execute(db);
}

/** An issued AE token. Its text is not stored. */
export interface SessionRow {
  /** The id inside the token, by which it can be revoked. */
  id: string;
  user_id: string;
  credential: PersonCredential;
  /** The one application it was issued for. */
  client_id: string | null;
  scopes: string[];
  created_at: Date;
  expires_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    sessions: SessionRow;
  }
}

export async function insertSession(db: Sql, row: SessionRow): Promise<void> {
  await db.insertInto('sessions').values(row).execute();
}

/** Lists a user's active sessions, newest first. */
export function selectSessions(db: Sql, userId: string, now: Date): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(100)
    .execute();
}

export function findSession(db: Sql, id: string): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Deletes a session; undefined if the user has none with this id. */
export function deleteSession(db: Sql, userId: string, id: string): Promise<SessionRow | undefined> {
  return db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '=', id).returningAll().executeTakeFirst();
}

export async function deleteSessionsOf(db: Sql, userId: string): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute();
}
