import type { Sealed, Sql } from '@latchkey/db';

export interface RedditTokenRow {
  community_id: string;
  refresh_token: Sealed;
  reddit_user: string;
  linked_by_id: string;
  linked_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    reddit_tokens: RedditTokenRow;
  }
}

export function selectToken(sql: Sql, communityId: string): Promise<RedditTokenRow | undefined> {
  return sql.selectFrom('reddit_tokens').selectAll().where('community_id', '=', communityId).executeTakeFirst();
}

export async function selectLinked(sql: Sql, communityIds: readonly string[]): Promise<Set<string>> {
  const rows = await sql
    .selectFrom('reddit_tokens')
    .select('community_id')
    .where('community_id', '=', (eb) => eb.fn.any(eb.val([...communityIds])))
    .execute();
  return new Set(rows.map((row) => row.community_id));
}

export async function putToken(sql: Sql, row: RedditTokenRow): Promise<void> {
  const { community_id: _, ...changes } = row;
  await sql
    .insertInto('reddit_tokens')
    .values(row)
    .onConflict((conflict) => conflict.column('community_id').doUpdateSet(changes))
    .execute();
}

export async function deleteToken(sql: Sql, communityId: string): Promise<boolean> {
  const result = await sql.deleteFrom('reddit_tokens').where('community_id', '=', communityId).executeTakeFirst();
  return result.numDeletedRows > 0n;
}
