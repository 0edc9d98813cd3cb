import { type Sealed, type Sql, sql, type Tx } from '@latchkey/db';

export interface RedditTokenRow {
  community_id: string;
  refresh_token: Sealed;
  reddit_user: string;
  linked_by_id: string;
  linked_at: Date;
  /** When the account's messages are read next; null means immediately. */
  inbox_due_at: Date | null;
  /**
   * Whether Reddit issued it for a consent here. If so, the database keeps it for revocation when this row is deleted.
   */
  by_consent: boolean;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    reddit_tokens: RedditTokenRow;
  }
}

export function selectToken(db: Sql, communityId: string): Promise<RedditTokenRow | undefined> {
  return db.selectFrom('reddit_tokens').selectAll().where('community_id', '=', communityId).executeTakeFirst();
}

export async function selectLinked(db: Sql, communityIds: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('reddit_tokens')
    .select('community_id')
    .where('community_id', '=', (eb) => eb.fn.any(eb.val([...communityIds])))
    .execute();
  return new Set(rows.map((row) => row.community_id));
}

/** The previous token is deleted instead of updated, because it may have to be revoked. */
export async function putToken(tx: Tx, row: RedditTokenRow): Promise<void> {
  await deleteToken(tx, row.community_id);
  const { community_id: _, ...changes } = row;
  await tx
    .insertInto('reddit_tokens')
    .values(row)
    .onConflict((conflict) => conflict.column('community_id').doUpdateSet(changes))
    .execute();
}

export async function deleteToken(db: Sql, communityId: string): Promise<boolean> {
  const result = await db.deleteFrom('reddit_tokens').where('community_id', '=', communityId).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/**
 * Claims the accounts whose messages are due, without duplicates, and postpones them until `until`. Returns one
 * community of each.
 */
export async function claimDueInboxes(db: Sql, now: Date, until: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ community_id: string }>`
    with due as (
      select reddit_user, min(community_id) as community_id from reddit_tokens
      group by reddit_user having bool_and(inbox_due_at is null or inbox_due_at <= ${now})
      order by min(inbox_due_at) nulls first limit ${limit}
    ), put_off as (
      update reddit_tokens t set inbox_due_at = ${until} from due where t.reddit_user = due.reddit_user
    )
    select community_id from due`.execute(db);
  return rows.map(({ community_id }) => community_id);
}

export async function countAccounts(db: Sql): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct reddit_user) as count from reddit_tokens`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function putOffInbox(db: Sql, redditUser: string, until: Date): Promise<void> {
  await db.updateTable('reddit_tokens').set({ inbox_due_at: until }).where('reddit_user', '=', redditUser).execute();
}

/** The communities that one account is linked to. */
export async function selectLinkedBy(db: Sql, redditUser: string): Promise<string[]> {
  const rows = await db
    .selectFrom('reddit_tokens')
    .select('community_id')
    .where('reddit_user', '=', redditUser)
    .orderBy('community_id')
    .execute();
  return rows.map(({ community_id }) => community_id);
}
