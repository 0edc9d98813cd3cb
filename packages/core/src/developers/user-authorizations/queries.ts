import { type Hashed, type Sql, sql } from '@latchkey/db';

export interface UserAuthorizationRow {
  user_id: string;
  client_id: string;
  scopes: string[];
  is_remembered: boolean;
  created_at: Date;
  updated_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    user_authorizations: UserAuthorizationRow;
    consent_decisions: { slug_hash: Hashed; user_id: string; scopes: string[]; expires_at: Date };
  }
}

/**
 * Adds what was granted. Remembered scopes are only ever added: a decision that is not to be remembered counts for its
 * own request only.
 */
export async function putAuthorization(
  db: Sql,
  row: Omit<UserAuthorizationRow, 'created_at' | 'updated_at'>,
  now: Date,
): Promise<UserAuthorizationRow> {
  const { rows } = await sql<UserAuthorizationRow>`
    insert into user_authorizations as a (user_id, client_id, scopes, is_remembered, created_at, updated_at)
    values (${row.user_id}, ${row.client_id}, ${row.scopes}, ${row.is_remembered}, ${now}, ${now})
    on conflict (user_id, client_id) do update set
      scopes = case
        when a.is_remembered and not excluded.is_remembered then a.scopes
        when a.is_remembered then array(select distinct unnest(a.scopes || excluded.scopes) order by 1)
        else excluded.scopes
      end,
      is_remembered = a.is_remembered or excluded.is_remembered,
      updated_at = excluded.updated_at
    returning *`.execute(db);
  const [put] = rows;
  if (put === undefined) throw new Error('The authorization was not saved.');
  return put;
}

export function selectAuthorization(
  db: Sql,
  userId: string,
  clientId: string,
): Promise<UserAuthorizationRow | undefined> {
  return db
    .selectFrom('user_authorizations')
    .selectAll()
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
}

/** Lists a user's authorizations after `after`, ordered by client id. */
export function listAuthorizations(
  db: Sql,
  userId: string,
  after: string,
  limit: number,
): Promise<UserAuthorizationRow[]> {
  return db
    .selectFrom('user_authorizations')
    .selectAll()
    .where('user_id', '=', userId)
    .where('client_id', '>', after)
    .orderBy('client_id')
    .limit(limit)
    .execute();
}

export async function deleteAuthorization(db: Sql, userId: string, clientId: string): Promise<boolean> {
  const deletion = db.deleteFrom('user_authorizations').where('user_id', '=', userId).where('client_id', '=', clientId);
  return (await deletion.executeTakeFirst()).numDeletedRows === 1n;
}

export async function putDecision(
  db: Sql,
  row: { slug_hash: Hashed; user_id: string; scopes: string[]; expires_at: Date },
): Promise<void> {
  const { scopes, expires_at } = row;
  await db
    .insertInto('consent_decisions')
    .values(row)
    .onConflict((conflict) => conflict.columns(['slug_hash', 'user_id']).doUpdateSet({ scopes, expires_at }))
    .execute();
}

/** Deletes a decision and returns it, so that it counts once. */
export async function takeDecision(
  db: Sql,
  slugHash: Hashed,
  userId: string,
  now: Date,
): Promise<readonly string[] | undefined> {
  const row = await db
    .deleteFrom('consent_decisions')
    .where('slug_hash', '=', slugHash)
    .where('user_id', '=', userId)
    .returning(['scopes', 'expires_at'])
    .executeTakeFirst();
  return row === undefined || row.expires_at <= now ? undefined : row.scopes;
}

export async function deleteExpiredDecisions(db: Sql, now: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from consent_decisions where ctid = any(array(
      select ctid from consent_decisions where expires_at < ${now} limit ${limit}))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

export async function deleteAllOf(db: Sql, userId: string): Promise<void> {
  for (const table of ['user_authorizations', 'consent_decisions'] as const)
    await db.deleteFrom(table).where('user_id', '=', userId).execute();
}
