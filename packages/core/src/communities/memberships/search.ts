import { type RawBuilder, type Sql, sql } from '@latchkey/db';
import { walletCountsFor } from '../../identity/wallets/index.ts';
import './queries.ts';
import type { MemberRow } from './queries.ts';

export type MemberOrder = 'name' | 'activity';

export interface MemberFilter {
  /** Part of a name or of the platform's own id. */
  search?: string | undefined;
  /** User ids that the search found by wallet address; they match in addition. */
  foundByWallet?: readonly string[] | undefined;
  /** Has any of these roles, or all of them. */
  roleIds?: readonly string[] | undefined;
  roleMatch?: 'any' | 'all' | undefined;
  hasWallet?: boolean | undefined;
  /** A further condition on the user id, from tables of other modules. */
  where?: (user: RawBuilder<unknown>) => RawBuilder<boolean>;
}

export type FoundMember = Pick<
  MemberRow,
  'user_id' | 'user_name' | 'role_ids' | 'last_active_at' | 'checked_at' | 'is_protected'
> & { search_name: string };

interface Place {
  communityId: string;
  /** The prefix of qualified user ids, which a search does not match. */
  idPrefix: string;
}

/** A page of the members that match a filter. Bots and members who left are excluded. */
export async function selectFound(
  db: Sql,
  { communityId, idPrefix }: Place,
  filter: MemberFilter,
  order: MemberOrder,
  after: readonly string[] | undefined,
  limit: number,
): Promise<FoundMember[]> {
  const conditions = [...conditionsOf(filter, communityId, idPrefix), ...afterCursor(order, after)];
  const sorted =
    order === 'name'
      ? sql`m.search_name, m.user_id`
      : sql`coalesce(m.last_active_at, '-infinity') desc, m.search_name, m.user_id`;
  const { rows } = await sql<FoundMember>`
    select m.user_id, m.user_name, m.search_name, m.role_ids, m.last_active_at, m.checked_at, m.is_protected
    from community_members m
    where m.community_id = ${communityId} and m.left_at is null and not m.is_bot
      ${sql.join(
        conditions.map((condition) => sql` and ${condition}`),
        sql``,
      )}
    order by ${sorted} limit ${limit}`.execute(db);
  return rows;
}

/** The cursor at the end of a page in this order. */
export function cursorOf(order: MemberOrder, member: FoundMember): readonly string[] {
  const byName = [member.search_name, member.user_id];
  return order === 'name' ? byName : [member.last_active_at?.toISOString() ?? '-infinity', ...byName];
}

function afterCursor(order: MemberOrder, after: readonly string[] | undefined) {
  if (after === undefined) return [];
  if (order === 'name') return [sql<boolean>`(m.search_name, m.user_id) > (${after[0]}, ${after[1]})`];
  const [active, name, userId] = after;
  return [
    sql<boolean>`(coalesce(m.last_active_at, '-infinity') < ${active}::timestamptz
      or (coalesce(m.last_active_at, '-infinity') = ${active}::timestamptz
        and (m.search_name, m.user_id) > (${name}, ${userId})))`,
  ];
}

function conditionsOf(filter: MemberFilter, communityId: string, idPrefix: string) {
  const { search, foundByWallet = [], roleIds = [], roleMatch = 'any', hasWallet, where } = filter;
  const conditions = [];
  if (search !== undefined)
    conditions.push(sql<boolean>`(strpos(m.search_name, lower(${search})) > 0
      or strpos(lower(substr(m.user_id, ${idPrefix.length + 1}::int)), lower(${search})) > 0
      or m.user_id = any(${[...foundByWallet]}::text[]))`);
  if (roleIds.length > 0)
    conditions.push(
      roleMatch === 'all'
        ? sql<boolean>`m.role_ids @> ${[...roleIds]}::text[]`
        : sql<boolean>`m.role_ids && ${[...roleIds]}::text[]`,
    );
  if (hasWallet !== undefined) {
    const counts = walletCountsFor(sql.ref('m.user_id'), sql`${communityId}`);
    conditions.push(hasWallet ? counts : sql<boolean>`not ${counts}`);
  }
  if (where !== undefined) conditions.push(where(sql.ref('m.user_id')));
  return conditions;
}

// Lists from several tables are merged, so the order must not depend on the database's locale.
const byBytes = sql<string>`user_id collate "C"`;

/** Search for people by ids, or by the beginning of a name in lower case. */
interface PeopleSearch {
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
