import { type Sql, sql, type Tx } from '@latchkey/db';
import { AppError, dayOf } from '@latchkey/kernel';
import { announce } from '../../../services/live-updates/index.ts';
import { hideAddresses } from '../../rules/index.ts';
import type { RoleAction, RoleChange } from '../planning/change-set.ts';

export interface ShadowRow {
  community_id: string;
  started_at: Date;
  taken_over_at: Date | null;
  take_over_change_set_id: string | null;
  undo_change_set_id: string | null;
  /**
   * Set while a takeover is in progress; `take_over_change_set_id` is then the change set that collects its changes.
   */
  take_over_requested_at: Date | null;
  take_over_members: number | null;
  take_over_checked: number;
  take_over_after: string | null;
  take_over_problem: string | null;
}

/** No takeover is in progress. */
export const notAsked = {
  take_over_change_set_id: null,
  take_over_requested_at: null,
  take_over_members: null,
  take_over_checked: 0,
  take_over_after: null,
  take_over_problem: null,
} satisfies Partial<ShadowRow>;

interface DifferenceRow {
  community_id: string;
  day: string;
  user_id: string;
  role_id: string;
  action: RoleAction;
  seen_at: Date;
  /** Without wallet addresses; null in rows of an earlier version. */
  reason: unknown;
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

/** The shadow mode of a community, if it is on. */
export async function selectShadowOn(db: Sql, communityId: string): Promise<ShadowRow | undefined> {
  const row = await selectShadow(db, communityId);
  return row?.taken_over_at === null ? row : undefined;
}

/** The shadow mode of a community, if a takeover is in progress. */
export async function selectAsked(db: Sql, communityId: string): Promise<ShadowRow | undefined> {
  const row = await selectShadowOn(db, communityId);
  return row === undefined || row.take_over_requested_at === null ? undefined : row;
}

/** The communities with a takeover in progress. */
export async function selectTakeOvers(db: Sql): Promise<string[]> {
  const rows = await db
    .selectFrom('shadow_modes')
    .select('community_id')
    .where('take_over_requested_at', 'is not', null)
    .where('taken_over_at', 'is', null)
    .execute();
  return rows.map((row) => row.community_id);
}

export async function startCounting(db: Sql, communityId: string, members: number): Promise<void> {
  await db
    .updateTable('shadow_modes')
    .set({ take_over_members: members })
    .where('community_id', '=', communityId)
    .where('take_over_requested_at', 'is not', null)
    .execute();
}

export async function noteProblem(db: Sql, communityId: string, problem: string): Promise<void> {
  await db
    .updateTable('shadow_modes')
    .set({ take_over_problem: problem })
    .where('community_id', '=', communityId)
    .where('take_over_requested_at', 'is not', null)
    .execute();
}

/** Adds further changes to the totals of a change set, and returns how many it has. */
export async function addToChangeSet(
  tx: Tx,
  changeSetId: string,
  changes: readonly Pick<RoleChange, 'userId' | 'action'>[],
  unknowns: number,
): Promise<{ id: string; grants: number; revokes: number }> {
  const grants = changes.filter(({ action }) => action === 'grant').length;
  const calls = new Set(changes.map(({ userId }) => userId)).size;
  const { rows } = await sql<{ id: string; grants: number; revokes: number }>`
    update change_sets set grants = grants + ${grants}, revokes = revokes + ${changes.length - grants},
      calls = calls + ${calls}, unknowns = unknowns + ${unknowns}
    where id = ${changeSetId} returning id, grants, revokes`.execute(tx);
  return rows[0] ?? { id: changeSetId, grants: 0, revokes: 0 };
}

export async function removeChangeSet(tx: Tx, changeSetId: string): Promise<void> {
  await tx.deleteFrom('change_sets').where('id', '=', changeSetId).execute();
}

export async function putShadow(tx: Tx, row: ShadowRow): Promise<void> {
  const { community_id: _community, ...changes } = row;
  await tx
    .insertInto('shadow_modes')
    .values(row)
    .onConflict((conflict) => conflict.column('community_id').doUpdateSet(changes))
    .execute();
}

/** Stores today's differences of members, in place of those seen earlier today. */
export async function keepDifferences(
  tx: Tx,
  communityId: string,
  userIds: readonly string[],
  changes: readonly Omit<RoleChange, 'blocks'>[],
  now: Date,
): Promise<void> {
  const day = dayOf(now);
  const { numAffectedRows: seenBefore = 0n } = await sql`
    delete from shadow_differences
    where community_id = ${communityId} and day = ${day}::date and user_id = any(${[...userIds]}::text[])`.execute(tx);
  // No reader of differences may see addresses; without them, nothing needs to be erased when a wallet is unlinked.
  const rows = changes.map(({ userId, roleId, action, reason }) => ({
    userId,
    roleId,
    action,
    reason: hideAddresses(reason),
  }));
  await sql`
    insert into shadow_differences (community_id, day, user_id, role_id, action, seen_at, reason)
    select ${communityId}, ${day}::date, "userId", "roleId", action, ${now}, reason
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as c ("userId" text, "roleId" text, action text, reason jsonb)
    on conflict (community_id, day, user_id, role_id) do update
      set action = excluded.action, seen_at = excluded.seen_at, reason = excluded.reason`.execute(tx);
  if (rows.length > 0 || seenBefore > 0n) await announce(tx, { changed: 'changeSets', community: communityId });
}

interface DayCount {
  day: string;
  grants: number;
  revokes: number;
  members: number;
}

/** How many differences there were on each day, newest first. */
export async function countByDay(db: Sql, communityId: string, days: number): Promise<DayCount[]> {
  const { rows } = await sql<DayCount>`
    select day::text as day, count(*) filter (where action = 'grant') as grants,
      count(*) filter (where action = 'revoke') as revokes, count(distinct user_id) as members
    from shadow_differences where community_id = ${communityId}
    group by day order by day desc limit ${days}`.execute(db);
  return rows;
}

type Difference = Omit<DifferenceRow, 'community_id' | 'day'>;

export async function listDifferences(
  db: Sql,
  communityId: string,
  day: string,
  after: readonly string[] | undefined,
  limit: number,
): Promise<Difference[]> {
  const [userId = '', roleId = ''] = after ?? [];
  const { rows } = await sql<Difference>`
    select user_id, role_id, action, seen_at, reason from shadow_differences
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

/** Cancels everything that is pending or held, except one change set, so that nothing more is written. */
export async function giveUpWaiting(tx: Tx, communityId: string, now: Date, except = ''): Promise<void> {
  const note = 'Canceled when shadow mode was turned on or off.';
  await sql`
    update change_set_items set state = 'dropped', drop_reason = 'cancelled', last_error = ${note}
    where community_id = ${communityId} and change_set_id <> ${except} and state in ('planned', 'pending')`.execute(tx);
  await sql`
    update change_sets p set status = 'rejected', finished_at = ${now}, note = ${note}
    where p.community_id = ${communityId} and p.id <> ${except} and p.status in ('previewed', 'held', 'approved', 'applying')
      and not exists (select from change_set_items i where i.change_set_id = p.id and i.state in ('sent', 'confirmed'))`.execute(
    tx,
  );
  await announce(tx, { changed: 'changeSets', community: communityId });
}

/** The error shown for writes in a community that is in shadow mode. */
export const shadowAdvice = 'This community is in shadow mode, so no roles are changed. Take over first.';

/**
 * Refuses operations that would write roles while the community is in shadow mode. Only the undo of the takeover, which
 * may wait for approval, can still be decided.
 */
export async function refuseInShadow(db: Sql, communityId: string, changeSetId?: string): Promise<void> {
  const shadow = await selectShadowOn(db, communityId);
  if (shadow !== undefined && (changeSetId === undefined || shadow.undo_change_set_id !== changeSetId))
    throw new AppError('STATE_CONFLICT', shadowAdvice);
}
