import { type Hashed, type Sql, sql, type Tx } from '@latchkey/db';

export interface PlaygroundRow {
  key_hash: Hashed;
  address_hash: Hashed;
  guild_id: string | null;
  accounts: string[];
  created_at: Date;
  expires_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    playgrounds: PlaygroundRow;
  }
}

/** Counts the running ones, in all and from one address. No other can be added until the transaction ends. */
export async function lockAndCount(
  tx: Tx,
  addressHash: Hashed,
  now: Date,
): Promise<{ total: number; ofAddress: number }> {
  await sql`lock table playgrounds in share row exclusive mode`.execute(tx);
  const { rows } = await sql<{ total: number; ofAddress: number }>`
    select count(*)::int as total, (count(*) filter (where address_hash = ${addressHash}))::int as "ofAddress"
    from playgrounds where expires_at > ${now}`.execute(tx);
  return rows[0] ?? { total: 0, ofAddress: 0 };
}

export async function insertPlayground(tx: Tx, row: PlaygroundRow): Promise<void> {
  await tx.insertInto('playgrounds').values(row).execute();
}

/** Returns false if it was removed meanwhile. */
export async function setGuild(
  db: Sql,
  keyHash: Hashed,
  { guildId, accounts }: { guildId: string; accounts: string[] },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('playgrounds')
    .set({ guild_id: guildId, accounts })
    .where('key_hash', '=', keyHash)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function findPlayground(db: Sql, keyHash: Hashed, now: Date): Promise<PlaygroundRow | undefined> {
  return db
    .selectFrom('playgrounds')
    .selectAll()
    .where('key_hash', '=', keyHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Those that ended by then, the oldest first. */
export function selectEnded(db: Sql, now: Date, limit: number): Promise<PlaygroundRow[]> {
  return db
    .selectFrom('playgrounds')
    .selectAll()
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
}

export async function deletePlayground(db: Sql, keyHash: Hashed): Promise<void> {
  await db.deleteFrom('playgrounds').where('key_hash', '=', keyHash).execute();
}

/** Ends one. */
export async function expire(db: Sql, keyHash: Hashed, now: Date): Promise<void> {
  await db.updateTable('playgrounds').set({ expires_at: now }).where('key_hash', '=', keyHash).execute();
}

/** Ends all of them. */
export async function expireAll(db: Sql, now: Date): Promise<void> {
  await db.updateTable('playgrounds').set({ expires_at: now }).where('expires_at', '>', now).execute();
}
