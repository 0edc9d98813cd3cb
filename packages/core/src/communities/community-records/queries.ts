import { asJson, type RawBuilder, type Sql, sql, type Tx } from '@latchkey/db';
import { notFound } from '@latchkey/kernel';
import type { PlatformName } from '../../ports/index.ts';
import type { Erasure, Person } from '../../shared/module.ts';
import { operatorId, parseCommunityKey } from '../../shared/qualified-ids.ts';
import { communitiesOfUser, presentCount } from '../memberships/index.ts';

export type CommunityStatus = 'active' | 'paused' | 'kicked';

export interface CommunityRow {
  id: string;
  platform: PlatformName;
  community_id: string;
  name: string;
  status: CommunityStatus;
  owner_id: string;
  admin_user_id: string | null;
  profile: Record<string, unknown>;
  disable_background_checks: boolean;
  check_period_seconds: number | null;
  next_check_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    communities: CommunityRow;
  }
}

/**
 * Finds a community by its qualified id, or by the platform's own one. A Telegram group that was upgraded keeps its
 * qualified id, and is also found by the one that its new chat id would have.
 */
export function selectCommunity(sql: Sql, id: string): Promise<CommunityRow | undefined> {
  const { platform, communityId } = parseCommunityKey(id) ?? {};
  return sql
    .selectFrom('communities')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('id', '=', id),
        eb('community_id', '=', id),
        ...(platform === 'telegram' ? [eb('community_id', '=', communityId ?? '').and('platform', '=', platform)] : []),
      ]),
    )
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/** Finds a community by the id that its platform uses for it now. */
export function selectByPlatformId(
  sql: Sql,
  platform: PlatformName,
  communityId: string,
): Promise<CommunityRow | undefined> {
  return sql
    .selectFrom('communities')
    .selectAll()
    .where('platform', '=', platform)
    .where('community_id', '=', communityId)
    .executeTakeFirst();
}

/** The active communities among these qualified ids, in id order. */
export function selectActiveAmong(sql: Sql, ids: readonly string[]): Promise<CommunityRow[]> {
  return sql
    .selectFrom('communities')
    .selectAll()
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .where('status', '=', 'active')
    .orderBy('id')
    .execute();
}

/** Which of these communities exist. */
export async function selectExisting(db: Sql, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('communities')
    .select('id')
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .execute();
  return rows.map(({ id }) => id);
}

/** The communities that a user is in, in id order, on one platform or on all. */
export async function selectCommunitiesOfMember(
  db: Sql,
  userId: string,
  limit: number,
  { platform, after }: { platform?: PlatformName | undefined; after?: string | undefined } = {},
): Promise<CommunityRow[]> {
  const { rows } = await sql<CommunityRow>`
    select c.* from communities c join (${communitiesOfUser(userId)}) m on m.community_id = c.id
    where (${platform ?? null}::text is null or c.platform = ${platform ?? null})
      and (${after ?? null}::text is null or c.id > ${after ?? null})
    order by c.id limit ${limit}`.execute(db);
  return rows;
}

/** Locks active communities whose next scheduled check is due, except those that another transaction has locked. */
export function claimDueChecks(
  tx: Tx,
  now: Date,
  limit: number,
): Promise<Pick<CommunityRow, 'id' | 'check_period_seconds'>[]> {
  return tx
    .selectFrom('communities')
    .select(['id', 'check_period_seconds'])
    .where('status', '=', 'active')
    .where('disable_background_checks', '=', false)
    .where((eb) => eb.or([eb('next_check_at', 'is', null), eb('next_check_at', '<=', now)]))
    .orderBy('next_check_at', (order) => order.asc().nullsFirst())
    .limit(limit)
    .forNoKeyUpdate()
    .skipLocked()
    .execute();
}

export async function setNextCheck(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.updateTable('communities').set({ next_check_at: at }).where('id', '=', id).execute();
}

// Fragments for statements of other modules. PostgreSQL plans a subquery in parentheses as if its tables were listed
// directly.

/** Selects the `id` of every active community. */
export const activeCommunities = sql<{ id: string }>`select id from communities where status = 'active'`;

/** Selects the `id`, `owner_id`, `status` and `updated_at` of every community. */
export const communityStates = sql<Pick<CommunityRow, 'id' | 'owner_id' | 'status' | 'updated_at'>>`
  select id, owner_id, status, updated_at from communities`;

/** How many active communities a platform has here, and how many members they have together. */
export async function countOnPlatform(
  db: Sql,
  platform: PlatformName,
): Promise<{ communities: number; members: number }> {
  const { rows } = await sql<{ communities: number; members: number }>`
    select count(*) as communities, coalesce(sum((${presentCount(sql.ref('c.id'))})), 0)::int as members
    from communities c where c.status = 'active' and c.platform = ${platform}`.execute(db);
  return rows[0] ?? { communities: 0, members: 0 };
}

/** Which of these communities have not removed the bot. */
export async function selectWithBot(sql: Sql, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql
    .selectFrom('communities')
    .select('id')
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .where('status', '<>', 'kicked')
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/**
 * Locks a community against other changes until this transaction ends. Rows that reference the community can still be
 * added: the holder of this lock may have to wait for the transactions that add them.
 */
export function lockCommunity(tx: Tx, id: string): Promise<CommunityRow | undefined> {
  return tx.selectFrom('communities').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

/** Keeps a community from being removed until this transaction ends. */
export async function holdCommunity(tx: Tx, id: string): Promise<void> {
  await sql`select from hold_community(${id})`.execute(tx);
}

/** Returns false if the community already exists. */
export async function insertCommunity(tx: Tx, row: CommunityRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('communities')
    .values({ ...row, profile: asJson(row.profile) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

export type CommunityChange = Partial<
  Pick<
    CommunityRow,
    | 'community_id'
    | 'name'
    | 'status'
    | 'owner_id'
    | 'admin_user_id'
    | 'profile'
    | 'disable_background_checks'
    | 'check_period_seconds'
    | 'next_check_at'
  >
>;

export async function updateCommunity(tx: Tx, id: string, change: CommunityChange, now: Date): Promise<void> {
  const { profile, ...plain } = change;
  await tx
    .updateTable('communities')
    .set({ ...plain, ...(profile !== undefined && { profile: asJson(profile) }), updated_at: now })
    .where('id', '=', id)
    .execute();
}

/** Returns false if the community does not exist. */
export async function deleteCommunity(tx: Tx, id: string): Promise<boolean> {
  const deleted = await tx.deleteFrom('communities').where('id', '=', id).executeTakeFirst();
  return deleted.numDeletedRows === 1n;
}

/** A condition on a community's id, provided by a module that knows who may see what. */
export type CommunityFilter = (id: RawBuilder<unknown>) => RawBuilder<boolean>;

/** Communities ordered by id, all of them or those that pass the filter, after `after`. */
export function listCommunities(
  tx: Sql,
  {
    filter,
    after,
    limit,
    platform,
  }: {
    filter?: CommunityFilter | undefined;
    after?: string | undefined;
    limit: number;
    platform?: PlatformName | undefined;
  },
): Promise<CommunityRow[]> {
  return tx
    .selectFrom('communities')
    .selectAll()
    .$if(filter !== undefined, (query) => query.where(filter?.(sql.ref('communities.id')) ?? sql<boolean>`true`))
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .$if(platform !== undefined, (query) => query.where('platform', '=', platform ?? 'discord'))
    .orderBy('id')
    .limit(limit)
    .execute();
}

interface CommunitySearch {
  /** An id, or the beginning of the name, ignoring case. */
  search?: string | undefined;
  platform?: PlatformName | undefined;
  status?: CommunityStatus | undefined;
}

/** All communities in id order, after `after`. */
export function searchCommunities(
  db: Sql,
  { search, platform, status }: CommunitySearch,
  after: string | undefined,
  limit: number,
): Promise<CommunityRow[]> {
  return db
    .selectFrom('communities')
    .selectAll()
    .$if(search !== undefined, (query) =>
      query.where((eb) =>
        eb.or([
          eb('id', '=', search ?? ''),
          eb('community_id', '=', search ?? ''),
          sql<boolean>`lower(name) like ${`${asPattern(search ?? '')}%`}`,
        ]),
      ),
    )
    .$if(platform !== undefined, (query) => query.where('platform', '=', platform ?? 'discord'))
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'active'))
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** The names of communities, by qualified id. */
export async function selectCommunityNames(db: Sql, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('communities')
    .select(['id', 'name'])
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

function asPattern(text: string): string {
  return text.toLowerCase().replace(/[\\%_]/g, '\\$&');
}

/** Communities that pass the filter and whose name contains the words, ordered by name. */
export async function listByName(
  db: Sql,
  {
    filter,
    words,
    after,
    limit,
  }: { filter: CommunityFilter; words: string; after: readonly string[] | undefined; limit: number },
): Promise<CommunityRow[]> {
  const [name = null, id = null] = after ?? [];
  const { rows } = await sql<CommunityRow>`
    select c.* from communities c
    where ${filter(sql.ref('c.id'))} and strpos(lower(c.name), lower(${words})) > 0
      and (${name}::text is null or (lower(c.name) collate "C", c.id) > (${name}::text collate "C", ${id}::text))
    order by lower(c.name) collate "C", c.id limit ${limit}`.execute(db);
  return rows;
}

/** Metrics of communities: rows of (metric, label, value), combined over all modules in one statement. */
export const communityMetrics = sql`
  select 'communities' as metric, platform as label, count(*)::float8 as value
  from communities where status = 'active' group by platform
  union all
  select 'recheck-overdue', '', greatest(0, extract(epoch from now() - min(next_check_at)))
  from communities where status = 'active' and not disable_background_checks having min(next_check_at) is not null
  union all
  select 'rechecks-overdue', '', count(*)
  from communities where status = 'active' and not disable_background_checks and next_check_at < now() - interval '1 hour'`;

/** Returns the community that `id` names, if the tenant of the transaction may see it. */
export async function getCommunity(tx: Tx, id: string): Promise<CommunityRow> {
  const row = await selectCommunity(tx, id);
  if (row === undefined) throw notFound('community');
  return row;
}

/** The same, and locks the community against other changes until the transaction ends. */
export async function lockOwnCommunity(tx: Tx, id: string): Promise<CommunityRow> {
  const row = await lockCommunity(tx, (await getCommunity(tx, id)).id);
  if (row === undefined) throw notFound('community');
  return row;
}

/** Removes a person from the data of communities. Ownership is handled by `access`, which knows the other admins. */
export const communityErasure: Erasure = {
  columns: ['communities.admin_user_id', 'communities.profile'],
  stage: 'at-once',
  forget: async (_ctx, tx, person) => {
    await tx
      .updateTable('communities')
      .set({ admin_user_id: null })
      .where('admin_user_id', '=', person.userId)
      .execute();
    await scrubProfiles(tx, person);
  },
};

/** Profile data from applications may contain who created or claimed something. */
async function scrubProfiles(tx: Tx, person: Person): Promise<void> {
  const { rows } = await sql<{ id: string; profile: unknown }>`
    select id, profile from communities where strpos(profile::text, ${JSON.stringify(person.userId)}) > 0
    order by id for no key update`.execute(tx);
  for (const { id, profile } of rows) {
    const scrubbed = JSON.stringify(scrub(profile, person));
    await sql`update communities set profile = ${scrubbed}::jsonb where id = ${id}`.execute(tx);
  }
}

function scrub(value: unknown, person: Person): unknown {
  if (value === person.userId) return person.pseudonym;
  if (Array.isArray(value)) return value.map((item) => scrub(item, person));
  if (typeof value !== 'object' || value === null) return value;
  const { createdByName, ...rest } = value as Record<string, unknown>;
  const kept = rest.createdById === person.userId || createdByName === undefined ? rest : { ...rest, createdByName };
  return Object.fromEntries(Object.entries(kept).map(([key, item]) => [key, scrub(item, person)]));
}

/**
 * Transfers the communities of an owner: `heirOf` selects the `user_id` of the new owner. Without one, the operator
 * owns the community and it is paused.
 */
export async function giveToHeirs(
  tx: Tx,
  ownerId: string,
  heirOf: (communityId: RawBuilder<unknown>) => RawBuilder<{ user_id: string }>,
  now: Date,
): Promise<void> {
  await sql`
    update communities c set
      owner_id = coalesce(heir.user_id, ${operatorId}),
      status = case when heir.user_id is null and c.status = 'active' then 'paused' else c.status end,
      updated_at = ${now}
    from communities o left join lateral (${heirOf(sql.ref('o.id'))}) heir on true
    where o.owner_id = ${ownerId} and c.id = o.id`.execute(tx);
}
