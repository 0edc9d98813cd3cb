import { asJson, type Sql, sql, type Tx } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import { activeCommunities } from '../../communities/community-records/index.ts';
import { hasRules } from '../../communities/rule-records/index.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import type { Door, DoorDetails, DoorKind } from './find-doors.ts';

export interface DoorRow {
  community_id: string;
  door_id: string;
  role_id: string;
  kind: DoorKind;
  name: string;
  by_id: string | null;
  by_name: string | null;
  made_at: Date | null;
  details: DoorDetails;
  found_at: Date;
  batch: string | null;
  gone_at: Date | null;
}

export interface ExpectedRow {
  community_id: string;
  door_id: string;
  role_ids: string[] | null;
  reason: string;
  decided_by: string | null;
  decided_at: Date;
}

/** What a check could not read, and the permission that the bot lacks for it; without one, Discord did not respond. */
export interface Unchecked {
  what: 'invites' | 'onboarding' | 'integrations';
  permission?: string;
}

interface CheckRow {
  community_id: string;
  due_at: Date;
  begun_at: Date | null;
  checked_at: Date | null;
  unchecked: Unchecked[];
}

declare module '@latchkey/db/tables' {
  interface Tables {
    back_doors: DoorRow;
    expected_back_doors: ExpectedRow;
    back_door_checks: CheckRow;
  }
}

/** Claims active communities with rules on Discord that are due for a check; those never checked first. */
export async function claimDue(db: Sql, now: Date, nextAt: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ community_id: string }>`
    insert into back_door_checks (community_id, due_at)
    select c.id, ${nextAt} from (${activeCommunities}) c left join back_door_checks k on k.community_id = c.id
    where starts_with(c.id, 'DIS#') and (k.due_at is null or k.due_at <= ${now}) and ${hasRules(sql.ref('c.id'))}
    order by k.due_at nulls first, c.id limit ${limit}
    on conflict (community_id) do update set due_at = excluded.due_at
    returning community_id`.execute(db);
  return rows.map(({ community_id }) => community_id);
}

export async function selectCheck(db: Sql, communityId: string): Promise<CheckRow | undefined> {
  return db.selectFrom('back_door_checks').selectAll().where('community_id', '=', communityId).executeTakeFirst();
}

/**
 * Begins to record a check, and holds the community's record until the transaction ends. False if one that began later
 * is recorded already.
 */
export async function beginRecord(
  tx: Tx,
  check: { communityId: string; begunAt: Date; checkedAt: Date; dueAt: Date; unchecked: readonly Unchecked[] },
): Promise<boolean> {
  const { rows } = await sql`
    insert into back_door_checks (community_id, due_at, begun_at, checked_at, unchecked)
    values (${check.communityId}, ${check.dueAt}, ${check.begunAt}, ${check.checkedAt}, ${JSON.stringify(check.unchecked)}::jsonb)
    on conflict (community_id) do update set due_at = excluded.due_at, begun_at = excluded.begun_at,
      checked_at = excluded.checked_at, unchecked = excluded.unchecked
    where back_door_checks.begun_at is null or back_door_checks.begun_at <= excluded.begun_at
    returning community_id`.execute(tx);
  return rows.length > 0;
}

export function selectDoors(db: Sql, communityId: string): Promise<DoorRow[]> {
  return db
    .selectFrom('back_doors')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('gone_at', 'is', null)
    .orderBy('found_at', 'desc')
    .orderBy('door_id')
    .orderBy('role_id')
    .execute();
}

/** A server with 1,000 invites and many gated roles has tens of thousands of ways. */
const doorsAtOnce = 500;

/** Stores ways as they are now. New ones, and those that were gone, belong to the notice `batch`. */
export async function putDoors(
  tx: Tx,
  communityId: string,
  doors: readonly Door[],
  { at, batch }: { at: Date; batch: string | null },
): Promise<void> {
  for (let from = 0; from < doors.length; from += doorsAtOnce)
    await tx
      .insertInto('back_doors')
      .values(doors.slice(from, from + doorsAtOnce).map((door) => rowOf(communityId, door, { at, batch })))
      .onConflict((conflict) =>
        conflict.columns(['community_id', 'door_id', 'role_id']).doUpdateSet((eb) => ({
          kind: eb.ref('excluded.kind'),
          name: eb.ref('excluded.name'),
          by_id: eb.ref('excluded.by_id'),
          by_name: eb.ref('excluded.by_name'),
          made_at: eb.ref('excluded.made_at'),
          details: eb.ref('excluded.details'),
          found_at: sql`case when back_doors.gone_at is null then back_doors.found_at else excluded.found_at end`,
          batch: sql`case when back_doors.gone_at is null then back_doors.batch else excluded.batch end`,
          gone_at: null,
        })),
      )
      .execute();
}

function rowOf(communityId: string, door: Door, { at, batch }: { at: Date; batch: string | null }) {
  return {
    community_id: communityId,
    door_id: door.id,
    role_id: door.roleId,
    kind: door.kind,
    name: door.name,
    by_id: door.creator === undefined ? null : userKey('discord', door.creator.id),
    by_name: door.creator?.name ?? null,
    made_at: door.madeAt ?? null,
    details: asJson(door.details),
    found_at: at,
    batch,
    gone_at: null,
  };
}

export async function markGone(
  tx: Tx,
  communityId: string,
  doors: readonly Pick<DoorRow, 'door_id' | 'role_id'>[],
  at: Date,
): Promise<void> {
  if (doors.length === 0) return;
  await sql`
    update back_doors set gone_at = ${at}, batch = null
    from unnest(${doors.map(({ door_id }) => door_id)}::text[], ${doors.map(({ role_id }) => role_id)}::text[])
      as gone (door_id, role_id)
    where back_doors.community_id = ${communityId} and back_doors.door_id = gone.door_id
      and back_doors.role_id = gone.role_id`.execute(tx);
}

export function selectExpected(db: Sql, communityId: string): Promise<ExpectedRow[]> {
  return db.selectFrom('expected_back_doors').selectAll().where('community_id', '=', communityId).execute();
}

/** Marks a way as expected. Admins are not notified of it any more. */
export async function putExpected(tx: Tx, row: ExpectedRow): Promise<void> {
  const { community_id, door_id, ...decision } = row;
  await tx
    .insertInto('expected_back_doors')
    .values(row)
    .onConflict((conflict) => conflict.columns(['community_id', 'door_id']).doUpdateSet(decision))
    .execute();
  await tx
    .updateTable('back_doors')
    .set({ batch: null })
    .where('community_id', '=', community_id)
    .where('door_id', '=', door_id)
    .execute();
}

export async function deleteExpected(tx: Tx, communityId: string, id: string): Promise<void> {
  await tx
    .deleteFrom('expected_back_doors')
    .where('community_id', '=', communityId)
    .where('door_id', '=', id)
    .execute();
}

/** Ways that admins are to be notified of, by the check that found them. */
export const newBackDoors = sql<{ community_id: string; batch: string; found_at: Date }>`
  select community_id, batch, found_at from back_doors where batch is not null and gone_at is null`;

export function selectBatch(db: Sql, communityId: string, batch: string): Promise<DoorRow[]> {
  return db
    .selectFrom('back_doors')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('batch', '=', batch)
    .where('gone_at', 'is', null)
    .orderBy('kind')
    .orderBy('door_id')
    .orderBy('role_id')
    .execute();
}

const keptSeconds = 90 * 24 * 3600;

export async function deleteOldDoors(db: Sql, now: Date, limit: number): Promise<number> {
  const old = sql`select ctid from back_doors where gone_at < ${addSeconds(now, -keptSeconds)} limit ${limit}`;
  const { numAffectedRows = 0n } = await sql`delete from back_doors where ctid = any(array(${old}))`.execute(db);
  return Number(numAffectedRows);
}

/** Deletes a person's name from what they created and decided. The ways themselves stay open. */
export async function forgetInDoors(tx: Tx, userId: string): Promise<void> {
  await tx.updateTable('back_doors').set({ by_id: null, by_name: null }).where('by_id', '=', userId).execute();
  await tx.updateTable('expected_back_doors').set({ decided_by: null }).where('decided_by', '=', userId).execute();
}
