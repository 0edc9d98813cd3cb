import { type Sql, sql } from '@latchkey/db';
import type { Span } from '../../../communities/usage/index.ts';
import { pairKey } from '../planning/suppression-queries.ts';
import type { ChangeSetRow, LedgerRow } from '../tables.ts';

export interface LedgerFilter {
  userId?: string | undefined;
  roleId?: string | undefined;
}

/** Ledger entries of a community, newest first, before the entry `before`. */
export function selectLedger(
  db: Sql,
  communityId: string,
  { userId, roleId }: LedgerFilter,
  before: string | undefined,
  limit: number,
): Promise<LedgerRow[]> {
  return db
    .selectFrom('role_ledger')
    .selectAll()
    .where('community_id', '=', communityId)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
    .$if(roleId !== undefined, (query) => query.where('role_id', '=', roleId ?? ''))
    .$if(before !== undefined, (query) => query.where('id', '<', Number(before)))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** The newest ledger entry since a time for each member and role. */
export async function selectWrittenSince(
  db: Sql,
  communityId: string,
  since: Date,
): Promise<Pick<LedgerRow, 'user_id' | 'role_id' | 'action'>[]> {
  const { rows } = await sql<Pick<LedgerRow, 'user_id' | 'role_id' | 'action'>>`
    select distinct on (user_id, role_id) user_id, role_id, action from role_ledger
    where community_id = ${communityId} and at > ${since} order by user_id, role_id, id desc`.execute(db);
  return rows;
}

/** What is being written to a member now, or was written since a time: events from the platform may be echoes of it. */
export async function selectOwnWrites(
  db: Sql,
  communityId: string,
  userId: string,
  since: Date,
): Promise<Pick<LedgerRow, 'role_id' | 'action'>[]> {
  const { rows } = await sql<Pick<LedgerRow, 'role_id' | 'action'>>`
    select role_id, action from change_set_items
    where community_id = ${communityId} and user_id = ${userId}
      and (state = 'sent' or state = 'pending' and tries > 0)
    union
    select role_id, action from role_ledger
    where community_id = ${communityId} and user_id = ${userId} and at > ${since}`.execute(db);
  return rows;
}

/** The pairs of these members and roles whose newest entry is a grant, as `user/role`. */
export async function selectGranted(
  db: Sql,
  communityId: string,
  roleIds: readonly string[],
  userIds: readonly string[],
): Promise<Set<string>> {
  if (roleIds.length === 0 || userIds.length === 0) return new Set();
  const { rows } = await sql<Pick<LedgerRow, 'user_id' | 'role_id' | 'action'>>`
    select distinct on (role_id, user_id) user_id, role_id, action from role_ledger
    where community_id = ${communityId} and role_id = any(${[...roleIds]}::text[]) and user_id = any(${[...userIds]}::text[])
    order by role_id, user_id, at desc, id desc`.execute(db);
  const granted = rows.filter(({ action }) => action === 'grant');
  return new Set(granted.map(({ user_id, role_id }) => pairKey({ userId: user_id, roleId: role_id })));
}

/** Since when a member has had each role, according to the ledger: the first grant after the last removal. */
export async function selectGrantedSince(
  db: Sql,
  userId: string,
  communityIds: readonly string[],
): Promise<{ community_id: string; role_id: string; since: Date }[]> {
  if (communityIds.length === 0) return [];
  const { rows } = await sql<{ community_id: string; role_id: string; since: Date }>`
    select g.community_id, g.role_id, min(g.at) as since from role_ledger g
    where g.user_id = ${userId} and g.community_id = any(${[...communityIds]}::text[]) and g.action = 'grant'
      and not exists (
        select from role_ledger r
        where r.community_id = g.community_id and r.user_id = g.user_id and r.role_id = g.role_id
          and r.action = 'revoke' and r.id > g.id)
    group by g.community_id, g.role_id`.execute(db);
  return rows;
}

interface RoleCount {
  roleId: string;
  count: number;
}

interface RoleDay extends RoleCount {
  date: string;
}

/** How often each of these roles was granted or removed in a time range. Both ends may be open. */
export async function countRoleChanges(
  db: Sql,
  communityId: string,
  action: 'grant' | 'revoke',
  roleIds: readonly string[],
  { from, to }: Span,
): Promise<Map<string, number>> {
  const { rows } = await sql<RoleCount>`
    select role_id as "roleId", count(*) as count from role_ledger
    where community_id = ${communityId} and action = ${action} and role_id = any(${[...roleIds]})
      and (${from ?? null}::timestamptz is null or at >= ${from ?? null}::timestamptz)
      and (${to ?? null}::timestamptz is null or at < ${to ?? null}::timestamptz)
    group by role_id`.execute(db);
  return new Map(rows.map(({ roleId, count }) => [roleId, count]));
}

/** How often each of these roles was granted on each UTC day of a time range. Days without any are absent. */
export async function countGrantsByDay(
  db: Sql,
  communityId: string,
  roleIds: readonly string[],
  { from, to }: Span,
): Promise<RoleDay[]> {
  const { rows } = await sql<RoleDay>`
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as date, role_id as "roleId", count(*) as count
    from role_ledger
    where community_id = ${communityId} and action = 'grant' and role_id = any(${[...roleIds]})
      and (${from ?? null}::timestamptz is null or at >= ${from ?? null}::timestamptz)
      and (${to ?? null}::timestamptz is null or at < ${to ?? null}::timestamptz)
    group by 1, 2 order by 1, 2`.execute(db);
  return rows;
}

export interface RoleChanges {
  date: string;
  roleId: string;
  given: number;
  taken: number;
}

/** How often each role was granted and removed on each UTC day since a time. Days without any are absent. */
export async function countChangesByDay(db: Sql, communityId: string, from: Date): Promise<RoleChanges[]> {
  const { rows } = await sql<RoleChanges>`
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as date, role_id as "roleId",
      count(*) filter (where action = 'grant') as given, count(*) filter (where action = 'revoke') as taken
    from role_ledger where community_id = ${communityId} and at >= ${from}
    group by 1, 2 order by 1 desc, 2`.execute(db);
  return rows;
}

/** The newest entry for each role of one member at a given time. */
export async function selectEntriesAt(db: Sql, communityId: string, userId: string, at: Date): Promise<LedgerRow[]> {
  const { rows } = await sql<LedgerRow>`
    select distinct on (role_id) * from role_ledger
    where community_id = ${communityId} and user_id = ${userId} and at <= ${at}
    order by role_id, at desc, id desc`.execute(db);
  return rows;
}

/** Who decided these change sets, if they are still stored. */
export function selectDeciders(
  db: Sql,
  changeSetIds: readonly string[],
): Promise<Pick<ChangeSetRow, 'id' | 'cause' | 'decided_by'>[]> {
  return db
    .selectFrom('change_sets')
    .select(['id', 'cause', 'decided_by'])
    .where('id', '=', (eb) => eb.fn.any(eb.val([...new Set(changeSetIds)])))
    .execute();
}
