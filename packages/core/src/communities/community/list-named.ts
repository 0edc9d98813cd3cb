import { type Sql, sql } from '@latchkey/db';
import type { CommunityRow } from './queries.ts';

/** Communities of an admin in the order of their names, those whose name holds the words. */
export async function listNamed(
  db: Sql,
  {
    adminId,
    words,
    after,
    limit,
  }: { adminId: string; words: string; after: readonly string[] | undefined; limit: number },
): Promise<CommunityRow[]> {
  const [name = null, id = null] = after ?? [];
  const { rows } = await sql<CommunityRow>`
    select c.* from communities c join community_admins a on a.community_id = c.id
    where a.user_id = ${adminId} and strpos(lower(c.name), lower(${words})) > 0
      and (${name}::text is null or (lower(c.name) collate "C", c.id) > (${name}::text collate "C", ${id}::text))
    order by lower(c.name) collate "C", c.id limit ${limit}`.execute(db);
  return rows;
}

/** How many rules communities have; those without any are absent. */
export async function countRules(db: Sql, communityIds: readonly string[]): Promise<Map<string, number>> {
  if (communityIds.length === 0) return new Map();
  const { rows } = await sql<{ community_id: string; rules: number }>`
    select community_id, count(*) as rules from community_rules
    where community_id = any(${[...communityIds]}::text[]) group by community_id`.execute(db);
  return new Map(rows.map((row) => [row.community_id, row.rules]));
}
