import { type Sql, sql } from '@latchkey/db';
import './queries.ts';

// Lists from several tables are merged, so the order must not depend on the database's locale.
const byBytes = sql<string>`user_id collate "C"`;

/** Search for people by ids, or by the beginning of a name in lower case. */
export interface PeopleSearch {
  ids?: readonly string[] | undefined;
  /** A `like` pattern. */
  namePattern?: string | undefined;
}

/** Ids of people in any community, in order after `after`, without duplicates. */
export async function searchMemberIds(
  db: Sql,
  { ids, namePattern }: PeopleSearch,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('community_members')
    .select(byBytes.as('id'))
    .distinct()
    .where(byBytes, '>', after)
    .where('is_bot', '=', false)
    .$if(ids !== undefined, (query) => query.where('user_id', '=', (eb) => eb.fn.any(eb.val([...(ids ?? [])]))))
    .$if(namePattern !== undefined, (query) => query.where(sql<boolean>`lower(user_name) like ${namePattern ?? ''}`))
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/** The names of people in the community where they were last seen. */
export async function findMemberNames(db: Sql, userIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ user_id: string; user_name: string }>`
    select distinct on (user_id) user_id, user_name from community_members
    where user_id = any(${[...userIds]}::text[]) and user_name is not null
    order by user_id, seen_at desc`.execute(db);
  return new Map(rows.map((row) => [row.user_id, row.user_name]));
}
