import { type Sql, sql, type Tx } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import { operatorId } from '../../shared/qualified-ids.ts';
import { type CommunityFilter, communityStates } from '../community-records/index.ts';

export interface AdminRow {
  community_id: string;
  user_id: string;
  added_at: Date;
  /** When the platform last confirmed that this person manages the community there. */
  confirmed_at: Date | null;
  /** Who added an admin that the platform did not confirm: another admin, or the operator. */
  named_by: string | null;
  /** When to check with the platform again. */
  ask_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    community_admins: AdminRow;
  }
}

/** How often every admin is checked with the platform. */
export const askAgainSeconds = 24 * 60 * 60;

/** Why a user is an admin: the platform confirms it, or another admin or the operator added them. */
export type Ground = { confirmedAt: Date } | { namedBy: string };

/** Adds admins. Existing admins stay unchanged. */
export async function insertAdmins(
  tx: Tx,
  communityId: string,
  userIds: readonly string[],
  ground: Ground,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('community_admins')
    .values(userIds.map((user_id) => ({ community_id: communityId, user_id, added_at: now, ...stored(ground, now) })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Makes a user an admin for this reason, replacing an earlier one. */
export async function putAdmin(tx: Tx, communityId: string, userId: string, ground: Ground, now: Date): Promise<void> {
  const row = stored(ground, now);
  await tx
    .insertInto('community_admins')
    .values({ community_id: communityId, user_id: userId, added_at: now, ...row })
    .onConflict((conflict) => conflict.columns(['community_id', 'user_id']).doUpdateSet(row))
    .execute();
}

/** Added admins are checked with the platform soon, confirmed ones a day later. */
function stored(ground: Ground, now: Date): Pick<AdminRow, 'confirmed_at' | 'named_by' | 'ask_at'> {
  if ('namedBy' in ground) return { confirmed_at: null, named_by: ground.namedBy, ask_at: now };
  const ask_at = addSeconds(ground.confirmedAt, askAgainSeconds);
  return { confirmed_at: ground.confirmedAt, named_by: null, ask_at };
}

export function selectAdmins(db: Sql, communityId: string): Promise<AdminRow[]> {
  return db
    .selectFrom('community_admins')
    .selectAll()
    .where('community_id', '=', communityId)
    .orderBy('added_at')
    .orderBy('user_id')
    .execute();
}

/** Stores what the platform says about an admin and when to check again, unless the row changed in the meantime. */
export async function setUpAdmin(
  tx: Tx,
  seen: AdminRow,
  change: Partial<Pick<AdminRow, 'confirmed_at' | 'ask_at'>>,
): Promise<void> {
  await tx
    .updateTable('community_admins')
    .set(change)
    .where('community_id', '=', seen.community_id)
    .where('user_id', '=', seen.user_id)
    .where(sql<boolean>`${isAsSeen(seen)}`)
    .execute();
}

/** Removes an admin, unless they were confirmed or added again since the row was read. */
export async function deleteAdmin(tx: Tx, seen: AdminRow): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('community_admins')
    .where('community_id', '=', seen.community_id)
    .where('user_id', '=', seen.user_id)
    .where(sql<boolean>`${isAsSeen(seen)}`)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

function isAsSeen({ confirmed_at, named_by }: AdminRow) {
  return sql`confirmed_at is not distinct from ${confirmed_at}::timestamptz and named_by is not distinct from ${named_by}::text`;
}

/** Removes admins whose sponsor is no longer an admin, and the admins they added in turn. Returns the removed ids. */
export async function deleteAdminsWithoutSponsor(tx: Tx, communityId: string): Promise<string[]> {
  const gone: string[] = [];
  for (;;) {
    const { rows } = await sql<{ user_id: string }>`
      delete from community_admins a
      where a.community_id = ${communityId} and a.confirmed_at is null and a.named_by <> ${operatorId}
        and not exists (
          select from community_admins n where n.community_id = a.community_id and n.user_id = a.named_by
        )
      returning a.user_id`.execute(tx);
    if (rows.length === 0) return gone;
    gone.push(...rows.map((row) => row.user_id));
  }
}

/** The communities with admins who are due to be checked with the platform, except those that removed the bot. */
export async function selectDueForAsking(db: Sql, now: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ community_id: string }>`
    select a.community_id from community_admins a join (${communityStates}) c on c.id = a.community_id
    where a.ask_at <= ${now} and c.status <> 'kicked'
    group by a.community_id order by min(a.ask_at) limit ${limit}`.execute(db);
  return rows.map((row) => row.community_id);
}

export async function isAdmin(db: Sql, communityId: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('community_admins')
    .select('user_id')
    .where('community_id', '=', communityId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Which of these communities a user is an admin of. */
export async function selectAdministered(db: Sql, communityIds: readonly string[], userId: string): Promise<string[]> {
  if (communityIds.length === 0) return [];
  const rows = await db
    .selectFrom('community_admins')
    .select('community_id')
    .where('community_id', '=', (eb) => eb.fn.any(eb.val([...communityIds])))
    .where('user_id', '=', userId)
    .execute();
  return rows.map((row) => row.community_id);
}

export function selectAdminIds(db: Sql, communityId: string): Promise<{ user_id: string }[]> {
  return db
    .selectFrom('community_admins')
    .select('user_id')
    .where('community_id', '=', communityId)
    .orderBy('user_id')
    .execute();
}

/** The admins of several communities, by community. */
export async function selectAdminIdsOf(db: Sql, communityIds: readonly string[]): Promise<Map<string, string[]>> {
  if (communityIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('community_admins')
    .select(['community_id', 'user_id'])
    .where('community_id', '=', (eb) => eb.fn.any(eb.val([...communityIds])))
    .orderBy('user_id')
    .execute();
  const byCommunity = Map.groupBy(rows, (row) => row.community_id);
  return new Map([...byCommunity].map(([id, admins]) => [id, admins.map(({ user_id }) => user_id)]));
}

/** Removes all admins except these. */
export async function deleteOtherAdmins(tx: Tx, communityId: string, kept: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('community_admins')
    .where('community_id', '=', communityId)
    .where('user_id', 'not in', [...kept])
    .execute();
}

/** Reassigns admins whose sponsor is removed, so that they count as added by another admin. */
export async function nameAnew(
  tx: Tx,
  communityId: string,
  remaining: readonly string[],
  namedBy: string,
): Promise<void> {
  await tx
    .updateTable('community_admins')
    .set({ named_by: namedBy })
    .where('community_id', '=', communityId)
    .where('named_by', 'not in', [operatorId, ...remaining])
    .execute();
}

/** Filters communities to those that a user is an admin of. */
export const administeredBy =
  (userId: string): CommunityFilter =>
  (id) =>
    sql<boolean>`${id} in (select community_id from community_admins where user_id = ${userId})`;
