import { type Sql, sql, type Tx } from '@latchkey/db';
import { announce } from '../../../machinery/announcements/index.ts';
import type { RoleAction, RoleChange } from '../plan.ts';

export interface ShadowRow {
  community_id: string;
  started_at: Date;
  taken_over_at: Date | null;
  take_over_plan_id: string | null;
  undo_plan_id: string | null;
}

interface DifferenceRow {
  community_id: string;
  day: string;
  user_id: string;
  role_id: string;
  action: RoleAction;
  seen_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    shadow_modes: ShadowRow;
    shadow_differences: DifferenceRow;
  }
}

export function selectShadow(db: Sql, communityId: string): Promise<ShadowRow | undefined> {
  return db.selectFrom('shadow_modes').selectAll().where('community_id', '=', communityId).executeTakeFirst();
}

/** The shadow mode of a community, while it is on. */
export async function selectShadowOn(db: Sql, communityId: string): Promise<ShadowRow | undefined> {
  const row = await selectShadow(db, communityId);
  return row?.taken_over_at === null ? row : undefined;
}

export async function putShadow(tx: Tx, row: ShadowRow): Promise<void> {
  const { community_id: _community, ...changes } = row;
  await tx
    .insertInto('shadow_modes')
    .values(row)
    .onConflict((conflict) => conflict.column('community_id').doUpdateSet(changes))
    .execute();
}

/** Keeps how members differ today, in place of what was seen of them earlier today. */
export async function keepDifferences(
  tx: Tx,
  communityId: string,
  userIds: readonly string[],
  changes: readonly Pick<RoleChange, 'userId' | 'roleId' | 'action'>[],
  now: Date,
): Promise<void> {
  const day = dayOf(now);
  await sql`
    delete from shadow_differences
    where community_id = ${communityId} and day = ${day}::date and user_id = any(${[...userIds]}::text[])`.execute(tx);
  const rows = changes.map(({ userId, roleId, action }) => ({ userId, roleId, action }));
  await sql`
    insert into shadow_differences (community_id, day, user_id, role_id, action, seen_at)
    select ${communityId}, ${day}::date, "userId", "roleId", action, ${now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as c ("userId" text, "roleId" text, action text)
    on conflict (community_id, day, user_id, role_id) do update
      set action = excluded.action, seen_at = excluded.seen_at`.execute(tx);
}

export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

export interface DayCount {
  day: string;
  grants: number;
  revokes: number;
  members: number;
}

/** How many differences there were on each day, the newest first. */
export async function countByDay(db: Sql, communityId: string, days: number): Promise<DayCount[]> {
  const { rows } = await sql<DayCount>`
    select day::text as day, count(*) filter (where action = 'grant') as grants,
      count(*) filter (where action = 'revoke') as revokes, count(distinct user_id) as members
    from shadow_differences where community_id = ${communityId}
    group by day order by day desc limit ${days}`.execute(db);
  return rows;
}

export async function listDifferences(
  db: Sql,
  communityId: string,
  day: string,
  after: readonly string[] | undefined,
  limit: number,
): Promise<Pick<DifferenceRow, 'user_id' | 'role_id' | 'action' | 'seen_at'>[]> {
  const [userId = '', roleId = ''] = after ?? [];
  const { rows } = await sql<Pick<DifferenceRow, 'user_id' | 'role_id' | 'action' | 'seen_at'>>`
    select user_id, role_id, action, seen_at from shadow_differences
    where community_id = ${communityId} and day = ${day}::date and (user_id, role_id) > (${userId}, ${roleId})
    order by user_id, role_id limit ${limit}`.execute(db);
  return rows;
}

export async function deleteOldDifferences(db: Sql, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from shadow_differences where ctid in (
      select ctid from shadow_differences where day < ${dayOf(before)}::date limit ${limit}
    )`.execute(db);
  return Number(numAffectedRows);
}

/** Gives up everything that waits to be written or decided, so that nothing is written from now on. */
export async function giveUpWaiting(tx: Tx, communityId: string, now: Date): Promise<void> {
  const note = 'Given up when shadow mode was switched.';
  await sql`
    update role_plan_items set state = 'dropped', last_error = ${note}
    where community_id = ${communityId} and state in ('planned', 'pending')`.execute(tx);
  await sql`
    update role_plans p set status = 'rejected', finished_at = ${now}, note = ${note}
    where p.community_id = ${communityId} and p.status in ('previewed', 'held', 'approved', 'applying')
      and not exists (select from role_plan_items i where i.plan_id = p.id and i.state in ('sent', 'confirmed'))`.execute(
    tx,
  );
  await announce(tx, { changed: 'plans', community: communityId });
}
