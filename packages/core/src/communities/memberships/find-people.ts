import { type Sql, sql } from '@latchkey/db';
import './queries.ts';

// Lists of several tables are merged, so that the order may not depend on the database's language.
const byBytes = sql<string>`user_id collate "C"`;

/** How people are looked for: by ids, or by what a name begins with, in small letters. */
export interface PeopleSearch {
  ids?: readonly string[] | undefined;
  /** A pattern of `like`. */
  namePattern?: string | undefined;
}

/** Ids of people in any community, in order, from the one after `after`; each once. */
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

/** What people are called in the community they were last seen in. */
export async function findMemberNames(db: Sql, userIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ user_id: string; user_name: string }>`
    select distinct on (user_id) user_id, user_name from community_members
    where user_id = any(${[...userIds]}::text[]) and user_name is not null
    order by user_id, seen_at desc`.execute(db);
  return new Map(rows.map((row) => [row.user_id, row.user_name]));
}
