import type { Sealed, Sql, Tx } from '@latchkey/db';
import { sql } from '@latchkey/db';

export interface RedditGrantRow {
  /** The context that the token was sealed for. */
  place: string;
  id: string;
  refresh_token: Sealed;
  /** Who authorized it and may use it; null once it only has to be revoked. */
  user_id: string | null;
  due_at: Date;
  tries: number;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    reddit_grants: RedditGrantRow;
  }
}

type Key = Pick<RedditGrantRow, 'place' | 'id'>;

const atOnce = new Date(0);

/** Stores a moderator's new authorization. An earlier unused one will be revoked. */
export async function putGrant(tx: Tx, row: RedditGrantRow & { user_id: string }): Promise<void> {
  await discardGrants(tx, row.user_id);
  await tx.insertInto('reddit_grants').values(row).execute();
}

/** Keeps a user's tokens until they are revoked, without the user's id. */
export async function discardGrants(db: Sql, userId: string): Promise<void> {
  await db.updateTable('reddit_grants').set({ user_id: null, due_at: atOnce }).where('user_id', '=', userId).execute();
}

export function selectGrant(db: Sql, userId: string, now: Date): Promise<RedditGrantRow | undefined> {
  return db
    .selectFrom('reddit_grants')
    .selectAll()
    .where('user_id', '=', userId)
    .where('due_at', '>', now)
    .orderBy('due_at', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/** Removes a grant in order to use it. Returns false if it was used, replaced or came due in the meantime. */
export async function takeGrant(tx: Tx, { place, id }: Key, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('reddit_grants')
    .where('place', '=', place)
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Claims due grants for this process, and postpones the next try. */
export async function claimDueGrants(db: Sql, now: Date, until: Date, limit: number): Promise<RedditGrantRow[]> {
  const { rows } = await sql<RedditGrantRow>`
    update reddit_grants set user_id = null, due_at = ${until}, tries = tries + 1 where (place, id) in (
      select place, id from reddit_grants where due_at <= ${now} order by due_at limit ${limit} for update skip locked
    ) returning *`.execute(db);
  return rows;
}

export async function deleteGrant(db: Sql, { place, id }: Key): Promise<void> {
  await db.deleteFrom('reddit_grants').where('place', '=', place).where('id', '=', id).execute();
}
