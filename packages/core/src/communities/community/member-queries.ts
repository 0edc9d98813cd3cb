import { type Sql, sql } from '@latchkey/db';
import type { PlatformName } from '../../ports/index.ts';
import type { CommunityRow } from './queries.ts';

// Members are kept by a feature that builds on this one and so cannot be imported; of their table only this is read here.

/** How many people are in the community; programs are not counted. */
export async function countMembers(db: Sql, communityId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from community_members
    where community_id = ${communityId} and left_at is null and not is_bot`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Whether a user was in the community and is not any more. */
export async function hasLeft(db: Sql, communityId: string, userId: string): Promise<boolean> {
  const { rows } = await sql`
    select from community_members
    where community_id = ${communityId} and user_id = ${userId} and left_at is not null`.execute(db);
  return rows.length > 0;
}

/** The communities that a user is in, by their ids, on one platform or on all. */
export async function selectCommunitiesOfMember(
  db: Sql,
  userId: string,
  limit: number,
  { platform, after }: { platform?: PlatformName | undefined; after?: string | undefined } = {},
): Promise<CommunityRow[]> {
  const { rows } = await sql<CommunityRow>`
    select c.* from communities c join community_members m on m.community_id = c.id
    where m.user_id = ${userId} and m.left_at is null
      and (${platform ?? null}::text is null or c.platform = ${platform ?? null})
      and (${after ?? null}::text is null or c.id > ${after ?? null})
    order by c.id limit ${limit}`.execute(db);
  return rows;
}
