import { type Sql, sql, type Tx } from '@latchkey/db';
import { holdCommunity } from '../../../communities/community-records/index.ts';
import { namedIn } from '../../../communities/memberships/index.ts';
import { announce } from '../../../services/live-updates/index.ts';
import type { ChangeSetItemRow, ChangeSetRow, ChangeSetStatus, ItemState } from '../tables.ts';
import type { RoleChange, RoleLosses } from './change-set.ts';
import { pairKey } from './suppression-queries.ts';

/** Locks a community until this transaction ends, so that no other one plans or claims writes for it. */
export async function lockCommunity(tx: Tx, communityId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`gating:${communityId}`}, 0))`.execute(tx);
  await holdCommunity(tx, communityId);
}

export async function insertChangeSet(tx: Tx, changeSet: ChangeSetRow): Promise<void> {
  await tx.insertInto('change_sets').values(changeSet).execute();
  await announce(tx, { changed: 'changeSets', id: changeSet.id, community: changeSet.community_id });
}

// Far above the number of change sets, so that every urgent one comes first.
const patientRank = 1_000_000_000_000_000n;

/**
 * Adds the items of a change set as the newest decision: pending opposite changes in other change sets are dropped, and
 * pending identical ones stay there. If a dropped item may have been written already, its successor counts as tried, so
 * the platform is read first.
 */
export async function insertItems(
  tx: Tx,
  changeSet: Pick<ChangeSetRow, 'id' | 'community_id' | 'is_urgent'>,
  state: ItemState,
  changes: readonly RoleChange[],
  dueAt: Date | null = null,
): Promise<void> {
  if (changes.length === 0) return;
  const tried = state === 'pending' ? await dropContrary(tx, changeSet.community_id, changes) : new Set();
  const rows = changes.map((change) => ({ ...change, tries: tried.has(pairKey(change)) ? 1 : 0 }));
  await sql`
    with rank as (select nextval('change_set_ranks') + ${changeSet.is_urgent ? 0n : patientRank}::bigint as rank)
    insert into change_set_items (change_set_id, community_id, user_id, role_id, action, state, rank, reason, blocks, tries, due_at)
    select ${changeSet.id}, ${changeSet.community_id}, "userId", "roleId", action, ${state}, rank.rank, reason, blocks, tries, ${dueAt}::timestamptz
    from rank, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as c ("userId" text, "roleId" text, action text, reason jsonb, blocks jsonb, tries int)
    on conflict do nothing`.execute(tx);
}

/** Drops pending opposite changes. Returns the pairs that may have been written already. */
async function dropContrary(tx: Tx, communityId: string, changes: readonly RoleChange[]): Promise<Set<string>> {
  const options = changes.map(({ userId, roleId, action }) => ({ userId, roleId, action }));
  const { rows } = await sql<{ userId: string; roleId: string; tries: number }>`
    update change_set_items i set state = 'dropped', drop_reason = 'superseded'
    from jsonb_to_recordset(${JSON.stringify(options)}::jsonb) as c ("userId" text, "roleId" text, action text)
    where i.community_id = ${communityId} and i.state = 'pending'
      and i.user_id = c."userId" and i.role_id = c."roleId" and i.action <> c.action
    returning c."userId", c."roleId", i.tries`.execute(tx);
  return new Set(rows.filter((row) => row.tries > 0).map(pairKey));
}

export type OpenItem = Pick<ChangeSetItemRow, 'change_set_id' | 'user_id' | 'role_id' | 'action' | 'state'> & {
  cause: string;
};

/** Open changes of these members: being written, or held for approval. Previews do not count. */
export function selectOpenItems(db: Sql, communityId: string, userIds: readonly string[]): Promise<OpenItem[]> {
  return db
    .selectFrom('change_set_items as i')
    .innerJoin('change_sets as p', (join) =>
      join.onRef('p.community_id', '=', 'i.community_id').onRef('p.id', '=', 'i.change_set_id'),
    )
    .select(['i.change_set_id', 'i.user_id', 'i.role_id', 'i.action', 'i.state', 'p.cause'])
    .where('i.community_id', '=', communityId)
    .where('i.user_id', '=', (eb) => eb.fn.any(eb.val([...userIds])))
    .where('i.state', 'in', ['planned', 'pending', 'sent'])
    .where('p.status', '<>', 'previewed')
    .execute();
}

/** Drops waiting items that a later check no longer wants, and returns those that were still waiting. */
export async function dropItems(
  tx: Tx,
  communityId: string,
  items: readonly Pick<OpenItem, 'change_set_id' | 'user_id' | 'role_id'>[],
): Promise<{ user_id: string; role_id: string }[]> {
  if (items.length === 0) return [];
  const { rows } = await sql<{ user_id: string; role_id: string }>`
    update change_set_items i set state = 'dropped', drop_reason = 'not-needed'
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as d (change_set_id text, user_id text, role_id text)
    where i.community_id = ${communityId} and i.change_set_id = d.change_set_id and i.user_id = d.user_id
      and i.role_id = d.role_id and i.state in ('planned', 'pending')
    returning i.user_id, i.role_id`.execute(tx);
  if (rows.length > 0) await announce(tx, { changed: 'changeSets', community: communityId });
  return rows;
}

/** The note of a change set that ended without changing a role. */
export const nothingWritten = 'No role was changed: later checks or changes made all of it unnecessary.';

/** Ends held change sets that have no items left after later decisions. */
export async function closeEmptyChangeSets(tx: Tx, communityId: string, now: Date): Promise<void> {
  await sql`
    update change_sets p set status = 'dropped', finished_at = ${now}, note = ${nothingWritten}
    where p.community_id = ${communityId} and p.status = 'held' and not exists (
      select from change_set_items i
      where i.community_id = p.community_id and i.change_set_id = p.id and i.state = 'planned'
    )`.execute(tx);
}

/** How many members lost these roles since a time, or are about to lose them, without an admin's approval. */
export async function selectLosses(
  db: Sql,
  communityId: string,
  roleIds: readonly string[],
  since: Date,
): Promise<Omit<RoleLosses, 'holders'>[]> {
  const { rows } = await sql<Omit<RoleLosses, 'holders'>>`
    select r.role_id as "roleId",
      (select count(distinct l.user_id) from role_ledger l
        where l.community_id = ${communityId} and l.role_id = r.role_id and l.action = 'revoke' and l.is_automatic
          and not l.reason ? 'joinRequest' and l.at > ${since}) as removed,
      (select count(*) from change_set_items i
        join change_sets p on p.community_id = i.community_id and p.id = i.change_set_id
        where i.community_id = ${communityId} and i.role_id = r.role_id and i.action = 'revoke'
          and i.state in ('pending', 'sent') and p.decided_by is null and not i.reason ? 'joinRequest') as losing
    from unnest(${[...roleIds]}::text[]) as r (role_id)`.execute(db);
  return rows;
}

/**
 * How many members lost these roles since a time, or are about to lose them, by undos that were not held for approval:
 * those were decided as they were created.
 */
export async function selectUndoLosses(
  db: Sql,
  communityId: string,
  roleIds: readonly string[],
  since: Date,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ role_id: string; removed: number }>`
    select i.role_id, count(distinct i.user_id) as removed from change_sets p
    join change_set_items i on i.change_set_id = p.id
    where p.community_id = ${communityId} and p.undoes is not null and p.decided_at = p.created_at
      and (p.finished_at is null or p.finished_at > ${since})
      and i.role_id = any(${[...roleIds]}::text[]) and i.action = 'revoke' and i.state in ('pending', 'sent', 'confirmed')
    group by i.role_id`.execute(db);
  return new Map(rows.map((row) => [row.role_id, row.removed]));
}

export function selectChangeSet(db: Sql, id: string): Promise<ChangeSetRow | undefined> {
  return db.selectFrom('change_sets').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Updates a change set if it still has one of these statuses. */
export async function moveChangeSet(
  tx: Tx,
  id: string,
  from: readonly ChangeSetStatus[],
  changes: Partial<ChangeSetRow>,
): Promise<boolean> {
  const moved = await tx
    .updateTable('change_sets')
    .set(changes)
    .where('id', '=', id)
    .where('status', 'in', [...from])
    .returning('community_id')
    .executeTakeFirst();
  if (moved === undefined) return false;
  await announce(tx, { changed: 'changeSets', id, community: moved.community_id });
  return true;
}

/**
 * Releases the planned items of a change set for writing. Pending changes of the same pairs in other change sets are
 * superseded.
 */
export async function releaseItems(tx: Tx, changeSetId: string): Promise<void> {
  await sql`
    update change_set_items o set state = 'dropped', drop_reason = 'superseded' from change_set_items i
    where i.change_set_id = ${changeSetId} and i.state = 'planned' and o.community_id = i.community_id and o.user_id = i.user_id
      and o.role_id = i.role_id and o.state = 'pending' and o.change_set_id <> i.change_set_id`.execute(tx);
  await tx
    .updateTable('change_set_items')
    .set({ state: 'pending' })
    .where('change_set_id', '=', changeSetId)
    .where('state', '=', 'planned')
    .execute();
}

/** Drops the items of a change set that have not been sent. */
export async function dropWaiting(tx: Tx, changeSetId: string): Promise<void> {
  await tx
    .updateTable('change_set_items')
    .set({ state: 'dropped', drop_reason: 'cancelled' })
    .where('change_set_id', '=', changeSetId)
    .where('state', 'in', ['planned', 'pending'])
    .execute();
}

/** Drops the removals of a change set that wait for an admin, and answers which they were. */
export async function dropPlannedRemovals(tx: Tx, changeSetId: string): Promise<{ userId: string; roleId: string }[]> {
  const rows = await tx
    .updateTable('change_set_items')
    .set({ state: 'dropped', drop_reason: 'removal-rejected' })
    .where('change_set_id', '=', changeSetId)
    .where('state', '=', 'planned')
    .where('action', '=', 'revoke')
    .returning(['user_id', 'role_id'])
    .execute();
  return rows.map(({ user_id, role_id }) => ({ userId: user_id, roleId: role_id }));
}

/** How many roles a change set gives once an admin approves it. */
export async function countPlannedGrants(tx: Tx, changeSetId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('change_set_items')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('change_set_id', '=', changeSetId)
    .where('state', '=', 'planned')
    .where('action', '=', 'grant')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The pairs that a change set has not written, or failed to write. */
export async function selectUnwritten(tx: Tx, changeSetId: string): Promise<{ userId: string; roleId: string }[]> {
  const rows = await tx
    .selectFrom('change_set_items')
    .select(['user_id', 'role_id'])
    .where('change_set_id', '=', changeSetId)
    .where('state', 'in', ['planned', 'pending', 'failed'])
    .execute();
  return rows.map(({ user_id, role_id }) => ({ userId: user_id, roleId: role_id }));
}

export function selectChangeSets(
  db: Sql,
  communityId: string,
  after: readonly string[] | undefined,
  limit: number,
  status?: ChangeSetStatus,
): Promise<ChangeSetRow[]> {
  const [createdAt, id] = after ?? [];
  return db
    .selectFrom('change_sets')
    .selectAll()
    .where('community_id', '=', communityId)
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'held'))
    .$if(createdAt !== undefined, (query) =>
      query.where(sql<boolean>`(created_at, id) < (${createdAt}::timestamptz, ${id})`),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** The change sets that rule changes from this one on led to, newest first. */
export function selectChangeSetsSince(
  db: Sql,
  communityId: string,
  ruleChangeId: string,
  limit = 100,
): Promise<ChangeSetRow[]> {
  return db
    .selectFrom('change_sets')
    .selectAll()
    .where('community_id', '=', communityId)
    .where(sql<boolean>`exists (select from unnest(rule_change_ids) as id where id::bigint >= ${ruleChangeId}::bigint)`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Change sets waiting for approval in all communities that the transaction can see, newest first. */
export function selectHeldChangeSets(tx: Tx, limit: number): Promise<ChangeSetRow[]> {
  return tx
    .selectFrom('change_sets')
    .selectAll()
    .where('status', '=', 'held')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Which changes of a change set are listed: those of a member whose name or id contains the words, or of these roles. */
export interface ItemFilter {
  communityId: string;
  words: string;
  roleIds: readonly string[];
}

export function listItems(
  db: Sql,
  changeSetId: string,
  after: readonly string[] | undefined,
  limit: number,
  filter?: ItemFilter,
) {
  const [userId, roleId] = after ?? [];
  return db
    .selectFrom('change_set_items')
    .select(['user_id', 'role_id', 'action', 'state', 'reason', 'blocks', 'last_error', 'drop_reason'])
    .where('change_set_id', '=', changeSetId)
    .$if(userId !== undefined, (query) => query.where(sql<boolean>`(user_id, role_id) > (${userId}, ${roleId})`))
    .$if(filter !== undefined, (query) => query.where(matches(filter)))
    .orderBy('user_id')
    .orderBy('role_id')
    .limit(limit)
    .execute();
}

// The names of the community are read once for a page, and only the items of the change set.
function matches({ communityId, words, roleIds }: ItemFilter = { communityId: '', words: '', roleIds: [] }) {
  return sql<boolean>`(role_id = any(${[...roleIds]}::text[]) or position(${words.toLowerCase()} in lower(user_id)) > 0
    or user_id in (${namedIn(communityId, words)}))`;
}

/** Deletes change sets that ended before these times, and previews created before them. Returns how many. */
export async function deleteOldChangeSets(
  db: Sql,
  finishedBefore: Date,
  previewedBefore: Date,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('change_sets')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('change_sets')
        .select('id')
        .where((or) =>
          or.or([
            or('finished_at', '<', finishedBefore),
            or.and([or('status', '=', 'previewed'), or('created_at', '<', previewedBefore)]),
          ]),
        )
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** For each role, how many members would lose it in change sets that are held for approval. */
export async function countHeldRemovals(db: Sql, communityId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ role_id: string; members: number }>`
    select i.role_id, count(*) as members from change_set_items i
    join change_sets p on p.community_id = i.community_id and p.id = i.change_set_id
    where i.community_id = ${communityId} and i.state = 'planned' and i.action = 'revoke' and p.status = 'held'
    group by i.role_id`.execute(db);
  return new Map(rows.map((row) => [row.role_id, row.members]));
}

// Fragments for statements of other modules. PostgreSQL plans a subquery in parentheses as if its tables were listed
// directly.

/**
 * Selects the change sets that are held for approval: how many changes they ever had, and how many are waiting now, which is counted
 * only where a statement uses it.
 */
export const heldChangeSets = sql<
  Pick<ChangeSetRow, 'id' | 'community_id' | 'created_at'> & { changes: number; waiting: number }
>`
  select id, community_id, created_at, grants + revokes as changes,
    (select count(*)::int from change_set_items i where i.change_set_id = p.id and i.state = 'planned') as waiting
  from change_sets p where status = 'held'`;

/**
 * Selects the change sets that no admin decided and for which the notice to admins, or its numbers, is not final yet.
 * `is_ended` means that nothing more will be written.
 */
export const unannouncedChangeSets = sql<
  Pick<
    ChangeSetRow,
    'id' | 'community_id' | 'created_at' | 'written_grants' | 'written_revokes' | 'written_members' | 'large_notice'
  > & { is_ended: boolean }
>`
  select id, community_id, created_at, written_grants, written_revokes, written_members, large_notice,
    finished_at is not null and not exists (
      select from change_set_items i
      where i.community_id = p.community_id and i.change_set_id = p.id and i.state = 'sent'
    ) as is_ended
  from change_sets p
  where decided_by is null and calls >= 10 and large_notice in ('undecided', 'open')`;

/**
 * Advances the notice state of one change set, in the transaction that stores the notice. Returns false if another
 * transaction did.
 */
export async function markNotice(
  tx: Tx,
  id: string,
  from: ChangeSetRow['large_notice'],
  to: ChangeSetRow['large_notice'],
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('change_sets')
    .set({ large_notice: to })
    .where('id', '=', id)
    .where('large_notice', '=', from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Selects the status of every change set and who decided it. */
export const changeSetStates = sql<Pick<ChangeSetRow, 'id' | 'status' | 'decided_by'>>`
  select id, status, decided_by from change_sets`;
