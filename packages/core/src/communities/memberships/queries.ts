import { type RawBuilder, type Sql, sql } from '@latchkey/db';
import type { GeneratedAlways } from 'kysely';

/** A current or former member of a community. */
export interface MemberRow {
  community_id: string;
  user_id: string;
  user_name: string | null;
  is_bot: boolean;
  /** Roles of this member cannot be removed; null until the platform was read. */
  is_protected: boolean | null;
  /** Has not passed the membership screening of a Discord server yet. */
  is_pending: boolean;
  role_ids: string[];
  seen_at: Date;
  last_active_at: Date | null;
  left_at: Date | null;
  checked_at: Date | null;
  /** The blocks that were read then, by chain. */
  checked_blocks: Record<string, string> | null;
}

/** Whether the member is in the community, or left it with roles that leaving did not end. */
export function mayHaveRoles({ left_at, role_ids }: Pick<MemberRow, 'left_at' | 'role_ids'>): boolean {
  return left_at === null || role_ids.length > 0;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    community_members: MemberRow & { search_name: GeneratedAlways<string> };
  }
}

/** A member as the platform shows them now. */
export interface SeenMember {
  userId: string;
  userName?: string | undefined;
  roleIds: readonly string[];
  isBot?: boolean | undefined;
  isProtected?: boolean | undefined;
  isPending?: boolean | undefined;
  /** Roles with ids that begin with this were not shown: those seen before stay. */
  unseenPrefix?: string | undefined;
  /** When the member was seen, if not at the time of the whole read. */
  seenAt?: Date | undefined;
}

/**
 * Stores members as seen, unless a later read is stored already. Roles are stored sorted, so that equal sets are equal
 * arrays.
 */
export async function putMembers(db: Sql, communityId: string, seen: readonly SeenMember[], at: Date): Promise<void> {
  if (seen.length === 0) return;
  const rows = seen.map(({ userId, userName, roleIds, isBot, isProtected, isPending, unseenPrefix, seenAt }) => ({
    unseen: unseenPrefix ?? null,
    seen_at: seenAt,
    user_id: userId,
    user_name: userName,
    role_ids: [...new Set(roleIds)].toSorted(),
    is_bot: isBot,
    is_protected: isProtected,
    is_pending: isPending ?? false,
  }));
  await sql`
    insert into community_members (community_id, user_id, user_name, is_bot, is_protected, is_pending, role_ids, seen_at)
    select c.id, r.user_id, r.user_name, coalesce(r.is_bot, false), r.is_protected, r.is_pending,
      case when r.unseen is null then r.role_ids else r.role_ids || array(
        select k.id from community_members m, unnest(m.role_ids) as k (id)
        where m.community_id = c.id and m.user_id = r.user_id and m.left_at is null and starts_with(k.id, r.unseen)
      ) end, coalesce(r.seen_at, ${at})
    from hold_community(${communityId}) as c (id), jsonb_to_recordset(
      ${JSON.stringify(rows)}::jsonb
    ) as r (
      user_id text, user_name text, is_bot boolean, is_protected boolean, is_pending boolean, role_ids text[],
      unseen text, seen_at timestamptz
    )
    order by r.user_id
    on conflict (community_id, user_id) do update set
      user_name = coalesce(excluded.user_name, community_members.user_name),
      is_bot = excluded.is_bot,
      is_protected = coalesce(excluded.is_protected, community_members.is_protected),
      is_pending = excluded.is_pending,
      role_ids = excluded.role_ids,
      seen_at = excluded.seen_at,
      left_at = null
    where community_members.seen_at <= excluded.seen_at`.execute(db);
}

/** Marks members as left, unless they were seen later. */
export async function markLeft(db: Sql, communityId: string, userIds: readonly string[], at: Date): Promise<void> {
  await db
    .updateTable('community_members')
    .set({ left_at: at, seen_at: at, role_ids: [], is_protected: null, is_pending: false })
    .where('community_id', '=', communityId)
    .where('user_id', '=', (eb) => eb.fn.any(eb.val([...userIds])))
    .where('seen_at', '<=', at)
    .execute();
}

/**
 * Stores what members who left still have, unless they were seen later. Other users are not added: a room of a community may have
 * people who were never members of it.
 */
export async function putLeft(
  db: Sql,
  communityId: string,
  left: readonly { userId: string; roleIds: readonly string[] }[],
  at: Date,
): Promise<void> {
  if (left.length === 0) return;
  const rows = left.map(({ userId, roleIds }) => ({ user_id: userId, role_ids: [...new Set(roleIds)].toSorted() }));
  await sql`
    update community_members m
    set left_at = coalesce(m.left_at, ${at}), seen_at = ${at}, role_ids = r.role_ids, is_protected = null, is_pending = false
    from hold_community(${communityId}) as c (id),
      jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (user_id text, role_ids text[])
    where m.community_id = c.id and m.user_id = r.user_id and m.seen_at <= ${at}`.execute(db);
}

/** Members who left and still have roles, as far as is known. */
export async function selectLeftWithRoles(db: Sql, communityId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('community_members')
    .select('user_id')
    .where('community_id', '=', communityId)
    .where('left_at', 'is not', null)
    .where('is_bot', '=', false)
    .where('role_ids', '<>', sql<string[]>`'{}'`)
    .orderBy('user_id')
    .execute();
  return rows.map((row) => row.user_id);
}

export async function markActive(db: Sql, communityId: string, userId: string, at: Date): Promise<void> {
  await db
    .updateTable('community_members')
    .set({ last_active_at: at })
    .where('community_id', '=', communityId)
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('last_active_at', 'is', null), eb('last_active_at', '<', at)]))
    .execute();
}

/** Notes that members were checked, and at which blocks. */
export async function markChecked(
  db: Sql,
  communityId: string,
  checked: readonly { userId: string; blocks: Readonly<Record<string, string>> }[],
  at: Date,
): Promise<void> {
  await sql`
    update community_members m set checked_at = ${at}, checked_blocks = c.blocks
    from jsonb_to_recordset(${JSON.stringify(checked)}::jsonb) as c ("userId" text, blocks jsonb)
    where m.community_id = ${communityId} and m.user_id = c."userId"`.execute(db);
}

export function selectMembers(db: Sql, communityId: string, userIds: readonly string[]): Promise<MemberRow[]> {
  return db
    .selectFrom('community_members')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('user_id', '=', (eb) => eb.fn.any(eb.val([...userIds])))
    .orderBy('user_id')
    .execute();
}

/** A page of current members, without bots, in id order. */
export function selectPresent(db: Sql, communityId: string, after: string, limit: number): Promise<MemberRow[]> {
  return db
    .selectFrom('community_members')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('user_id', '>', after)
    .where('left_at', 'is', null)
    .where('is_bot', '=', false)
    .orderBy('user_id')
    .limit(limit)
    .execute();
}

/** Members that no read since `before` has shown and no event reported as gone; the longest unseen first. */
export async function selectUnseen(db: Sql, communityId: string, before: Date, limit?: number): Promise<string[]> {
  const rows = await db
    .selectFrom('community_members')
    .select('user_id')
    .where('community_id', '=', communityId)
    .where('left_at', 'is', null)
    .where('seen_at', '<', before)
    .orderBy('seen_at')
    .orderBy('user_id')
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute();
  return rows.map((row) => row.user_id);
}

/** The communities these users are in. */
export async function selectCommunitiesOf(
  db: Sql,
  userIds: readonly string[],
): Promise<{ community_id: string; user_id: string }[]> {
  if (userIds.length === 0) return [];
  return db
    .selectFrom('community_members')
    .select(['community_id', 'user_id'])
    .where('user_id', '=', (eb) => eb.fn.any(eb.val([...userIds])))
    .where('left_at', 'is', null)
    .where('is_bot', '=', false)
    .execute();
}

/** The communities a user is in, with the roles they were last seen with. */
export function selectRolesOf(db: Sql, userId: string): Promise<Pick<MemberRow, 'community_id' | 'role_ids'>[]> {
  return db
    .selectFrom('community_members')
    .select(['community_id', 'role_ids'])
    .where('user_id', '=', userId)
    .where('left_at', 'is', null)
    .where('is_bot', '=', false)
    .execute();
}

/** How many members have each of these roles. */
export async function countHolders(
  db: Sql,
  communityId: string,
  roleIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ role_id: string; holders: number }>`
    select r.role_id, count(m.user_id) as holders
    from unnest(${[...roleIds]}::text[]) as r (role_id)
    left join community_members m
      on m.community_id = ${communityId} and m.left_at is null and not m.is_bot and r.role_id = any(m.role_ids)
    group by r.role_id`.execute(db);
  return new Map(rows.map((row) => [row.role_id, row.holders]));
}

/** Members of the community who have been active, ordered by id. */
export function selectActive(
  db: Sql,
  communityId: string,
  after: string,
  limit: number,
): Promise<Pick<MemberRow, 'user_id' | 'last_active_at'>[]> {
  return db
    .selectFrom('community_members')
    .select(['user_id', 'last_active_at'])
    .where('community_id', '=', communityId)
    .where('last_active_at', 'is not', null)
    .where('left_at', 'is', null)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
    .execute();
}

/** Current members with this name, ignoring case. */
export function selectNamed(db: Sql, communityId: string, userName: string, limit: number): Promise<MemberRow[]> {
  return db
    .selectFrom('community_members')
    .selectAll()
    .where('community_id', '=', communityId)
    .where(sql<boolean>`lower(user_name) = lower(${userName})`)
    .where('left_at', 'is', null)
    .orderBy('user_id')
    .limit(limit)
    .execute();
}

/** Whether a user was in the community and left it. */
export async function hasLeft(db: Sql, communityId: string, userId: string): Promise<boolean> {
  const { rows } = await sql`
    select from community_members
    where community_id = ${communityId} and user_id = ${userId} and left_at is not null`.execute(db);
  return rows.length > 0;
}

// Fragments for statements of other modules. PostgreSQL plans a subquery in parentheses as if its tables were listed
// directly.

/** Selects the `user_id` of the members of a community, bots excluded. */
export const presentIn = (communityId: string) => sql<{ user_id: string }>`
  select user_id from community_members where community_id = ${communityId} and left_at is null and not is_bot`;

/** Selects the `user_id` of everyone whose name in a community contains these words, also of those who left. */
export const namedIn = (communityId: string, words: string) => sql<{ user_id: string }>`
  select user_id from community_members
  where community_id = ${communityId} and position(${words.toLowerCase()} in lower(user_name)) > 0`;

/** Selects the roles of each member of a community, as the platform last showed them. */
export const rolesIn = (communityId: string) => sql<Pick<MemberRow, 'user_id' | 'role_ids'>>`
  select user_id, role_ids from community_members where community_id = ${communityId} and left_at is null`;

/** Selects the `community_id` of the communities that a user is in, optionally including those the user left. */
export function communitiesOfUser(userId: string, { includingLeft = false } = {}) {
  return sql<{ community_id: string }>`
    select community_id from community_members
    where user_id = ${userId}${includingLeft ? sql`` : sql` and left_at is null`}`;
}

/** Selects the number of members of a community, bots excluded. */
export const presentCount = (communityId: RawBuilder<unknown>) => sql<number>`
  select count(*) from community_members
  where community_id = ${communityId} and left_at is null and not is_bot`;

/** Selects the number of members of each community, bots excluded. */
export const presentByCommunity = sql<{ community_id: string; members: number }>`
  select community_id, count(*)::int as members from community_members
  where left_at is null and not is_bot group by community_id`;

/** How many members have each role, most common first. */
export async function countByRole(
  db: Sql,
  communityId: string,
  limit: number,
): Promise<{ role_id: string; members: number }[]> {
  const { rows } = await sql<{ role_id: string; members: number }>`
    select r.role_id, count(*) as members from community_members m, unnest(m.role_ids) as r (role_id)
    where m.community_id = ${communityId} and m.left_at is null and not m.is_bot
    group by r.role_id order by members desc, r.role_id limit ${limit}`.execute(db);
  return rows;
}

/** How many members each of these communities has, without bots. */
export async function countPresent(db: Sql, communityIds: readonly string[]): Promise<Map<string, number>> {
  if (communityIds.length === 0) return new Map();
  const { rows } = await sql<{ community_id: string; members: number }>`
    select community_id, count(*) as members from community_members
    where community_id = any(${[...communityIds]}::text[]) and left_at is null and not is_bot
    group by community_id`.execute(db);
  return new Map(rows.map((row) => [row.community_id, row.members]));
}

/** How many members, bots included, have each of these roles: what a platform counts. */
export async function countHoldersAndBots(
  db: Sql,
  communityId: string,
  roleIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ role_id: string; holders: number }>`
    select r.role_id, count(m.user_id) as holders
    from unnest(${[...roleIds]}::text[]) as r (role_id)
    left join community_members m
      on m.community_id = ${communityId} and m.left_at is null and r.role_id = any(m.role_ids)
    group by r.role_id`.execute(db);
  return new Map(rows.map((row) => [row.role_id, row.holders]));
}

/** The members, bots included, who have at least one of these roles, with all of their roles. */
export async function selectHoldersOfAny(
  db: Sql,
  communityId: string,
  roleIds: readonly string[],
): Promise<{ userId: string; userName: string | null; isBot: boolean; roleIds: string[] }[]> {
  if (roleIds.length === 0) return [];
  const { rows } = await sql<{ userId: string; userName: string | null; isBot: boolean; roleIds: string[] }>`
    select user_id as "userId", user_name as "userName", is_bot as "isBot", role_ids as "roleIds" from community_members
    where community_id = ${communityId} and left_at is null and role_ids && ${[...roleIds]}::text[]
    order by user_id`.execute(db);
  return rows;
}

/** How many members have at least one of these roles. */
export async function countHoldersOfAny(db: Sql, communityId: string, roleIds: readonly string[]): Promise<number> {
  if (roleIds.length === 0) return 0;
  const { rows } = await sql<{ holders: number }>`
    select count(*) as holders from community_members
    where community_id = ${communityId} and left_at is null and not is_bot
      and role_ids && ${[...roleIds]}::text[]`.execute(db);
  return rows[0]?.holders ?? 0;
}
