import { type Sql, sql, type Tx } from '@latchkey/db';
import { selectMembers } from '../../../communities/memberships/index.ts';
import { selectRules } from '../../../communities/rule-records/index.ts';
import { announce } from '../../../services/live-updates/index.ts';
import { notifyAdminsSoon } from '../../../shared/find-notices.ts';
import { openRules } from '../../evaluation/index.ts';
import type { LedgerChange } from '../ledger/record.ts';
import type { RoleAction } from '../planning/change-set.ts';
import { lockCommunity, nothingWritten } from '../planning/change-set-queries.ts';
import type { ChangeSetItemRow, ChangeSetRow, DropReason } from '../tables.ts';
import { holdsFor, isStopped } from './breaker-queries.ts';
import '../tables.ts';

/** An item that this writer has claimed, with what is known about its member. */
export interface ClaimedItem {
  change_set_id: string;
  user_id: string;
  role_id: string;
  action: RoleAction;
  tries: number;
  is_automatic: boolean;
  /** Why the member was checked, and since when that check was due. */
  cause: string;
  queued_at: Date | null;
  /** Whether the item is the response to a request to join. */
  is_join_request: boolean;
  reason: unknown;
  blocks: Record<string, string>;
  /** The member's roles as last seen; null if the member is unknown. */
  role_ids: string[] | null;
  /** The member has not accepted the server's rules yet. */
  is_pending: boolean;
}

export interface Claim {
  communityId: string;
  /** Id of the writer. The same id never writes from two places at once. */
  claimedBy: string;
  claimedUntil: Date;
  now: Date;
  /** The maximum number of members. */
  members: number;
  /** Only items of this change set. */
  changeSetId?: string | undefined;
  /** Also claim items that are not due yet, because they were reserved for this writer. */
  isReserved?: boolean | undefined;
}

/**
 * Claims all changes of the next few members that are due, urgent change sets first. Skips members who are being
 * written and roles that are blocked. Uses several small statements, so that each is planned with its index however the
 * table grows and shrinks.
 */
export async function claimItems(tx: Tx, claim: Claim): Promise<ClaimedItem[]> {
  await lockCommunity(tx, claim.communityId);
  const busy = await selectBusy(tx, claim.communityId);
  const mayBeWritten = sql`
    i.community_id = ${claim.communityId} and i.state = 'pending'
    and (${claim.isReserved ?? false} or i.due_at is null or i.due_at <= ${claim.now})
    and (${claim.changeSetId ?? null}::text is null or i.change_set_id = ${claim.changeSetId ?? null})
    and not ${isStopped}`;
  const next = await sql<{ user_id: string }>`
    select i.user_id from change_set_items i
    where ${mayBeWritten} and i.user_id <> all(${busy}::text[])
    order by i.rank, i.user_id limit ${claim.members * itemsPerMember}`.execute(tx);
  const userIds = [...new Set(next.rows.map((row) => row.user_id))].slice(0, claim.members);
  if (userIds.length === 0) return [];
  const { rows } = await sql<TakenItem>`
    update change_set_items i
    set state = 'sent', due_at = null, claimed_by = ${claim.claimedBy}, claimed_until = ${claim.claimedUntil}
    where ${mayBeWritten} and i.user_id = any(${userIds}::text[])
    returning i.change_set_id, i.user_id, i.role_id, i.action, i.tries, i.reason, i.blocks`.execute(tx);
  const turn = new Map(userIds.map((userId, at) => [userId, at]));
  const inTurn = rows.toSorted((a, b) => (turn.get(a.user_id) ?? 0) - (turn.get(b.user_id) ?? 0));
  return describeItems(tx, claim.communityId, inTurn);
}

const itemsPerMember = 8;

type TakenItem = Omit<
  ClaimedItem,
  'is_automatic' | 'is_join_request' | 'role_ids' | 'is_pending' | 'cause' | 'queued_at'
>;

/** Members who are being written right now. */
async function selectBusy(tx: Tx, communityId: string): Promise<string[]> {
  const sent = await tx
    .selectFrom('change_set_items')
    .select('user_id')
    .where('community_id', '=', communityId)
    .where('state', '=', 'sent')
    .execute();
  return [...new Set(sent.map((row) => row.user_id))];
}

/** Adds what is known about the change sets and members of items. */
async function describeItems<Item extends TakenItem>(
  tx: Tx,
  communityId: string,
  items: readonly Item[],
): Promise<(Item & ClaimedItem)[]> {
  const changeSets = await tx
    .selectFrom('change_sets')
    .select(['id', 'cause', 'decided_by', 'queued_at'])
    .where('community_id', '=', communityId)
    .where('id', '=', (eb) => eb.fn.any(eb.val([...new Set(items.map((item) => item.change_set_id))])))
    .execute();
  const members = await selectMembers(tx, communityId, [...new Set(items.map((item) => item.user_id))]);
  const changeSetOf = new Map(changeSets.map((changeSet) => [changeSet.id, changeSet]));
  const present = new Map(members.filter((row) => row.left_at === null).map((row) => [row.user_id, row]));
  return items.map((item) => ({
    ...item,
    is_automatic: (changeSetOf.get(item.change_set_id)?.decided_by ?? null) === null,
    cause: changeSetOf.get(item.change_set_id)?.cause ?? '',
    queued_at: changeSetOf.get(item.change_set_id)?.queued_at ?? null,
    is_join_request: changeSetOf.get(item.change_set_id)?.cause === ownCauses.join,
    role_ids: present.get(item.user_id)?.role_ids ?? null,
    is_pending: present.get(item.user_id)?.is_pending ?? false,
  }));
}

/**
 * Takes over the items of writers that are gone: those of the same kind, and any whose claim has expired. They may have
 * been written, so each counts as tried. `is_outdated` means that a newer change for the same member and role is
 * pending.
 */
export async function takeOrphans(
  tx: Tx,
  claim: Omit<Claim, 'members' | 'changeSetId' | 'isReserved'>,
  kind: string,
): Promise<(ClaimedItem & { is_outdated: boolean })[]> {
  await lockCommunity(tx, claim.communityId);
  const { rows } = await sql<TakenItem & { is_outdated: boolean }>`
    update change_set_items i set tries = tries + 1, claimed_by = ${claim.claimedBy}, claimed_until = ${claim.claimedUntil}
    where i.community_id = ${claim.communityId} and i.state = 'sent'
      and (starts_with(i.claimed_by, ${`${kind}:`}) or i.claimed_until < ${claim.now})
    returning i.change_set_id, i.user_id, i.role_id, i.action, i.tries, i.reason, i.blocks,
      exists (
        select from change_set_items w where w.community_id = i.community_id and w.user_id = i.user_id
          and w.role_id = i.role_id and w.state = 'pending'
      ) as is_outdated`.execute(tx);
  return describeItems(tx, claim.communityId, rows);
}

export type ItemRef = Pick<ClaimedItem, 'change_set_id' | 'user_id' | 'role_id'>;

/** Who claimed the items of a community. */
export type Writer = Pick<Claim, 'communityId' | 'claimedBy'>;

/** Ends the items that this writer still holds, and returns them. */
export async function settleItems(
  tx: Tx,
  writer: Writer,
  items: readonly ItemRef[],
  state: 'confirmed' | 'gone' | 'dropped' | 'failed',
  { error = null, dropReason = null }: { error?: string | null; dropReason?: DropReason | null } = {},
): Promise<ItemRef[]> {
  if (items.length === 0) return [];
  const { rows } = await sql<ItemRef>`
    update change_set_items i set state = ${state}, last_error = ${error}, claimed_by = null, claimed_until = null,
      drop_reason = ${dropReason}
    from ${listed(items)} where ${isMine(writer)}
    returning i.change_set_id, i.user_id, i.role_id`.execute(tx);
  return rows;
}

/**
 * Returns items to the queue for a retry, in a transaction that holds the community lock. If a newer change for the
 * same member and role is pending, that one wins. The result of the try is unknown, so the newer one is compared with
 * the platform before it is written. `once`: however often it is returned, it counts as one try.
 */
export async function returnItems(
  tx: Tx,
  writer: Writer,
  items: readonly ItemRef[],
  { error = null, dueAt = null, tried }: { error?: string | null; dueAt?: Date | null; tried: boolean | 'once' },
): Promise<void> {
  if (items.length === 0) return;
  const triesOf = (item: 'w' | 'i') =>
    tried === 'once' ? sql`greatest(${sql.ref(item)}.tries, 1)` : sql`${sql.ref(item)}.tries + ${tried ? 1 : 0}`;
  await sql`
    with mine as (
      select i.change_set_id, i.community_id, i.user_id, i.role_id
      from change_set_items i, ${listed(items)} where ${isMine(writer)}
    ),
    newer as (
      update change_set_items w set tries = ${triesOf('w')} from mine m
      where w.community_id = m.community_id and w.user_id = m.user_id and w.role_id = m.role_id and w.state = 'pending'
      returning w.user_id, w.role_id
    )
    update change_set_items i set
      state = case when exists (
        select from newer n where n.user_id = i.user_id and n.role_id = i.role_id
      ) then 'dropped' else 'pending' end,
      drop_reason = case when exists (
        select from newer n where n.user_id = i.user_id and n.role_id = i.role_id
      ) then 'superseded' end,
      last_error = ${error}, due_at = ${dueAt}::timestamptz, tries = ${triesOf('i')},
      claimed_by = null, claimed_until = null
    from mine m where i.community_id = m.community_id and i.change_set_id = m.change_set_id and i.user_id = m.user_id and i.role_id = m.role_id`.execute(
    tx,
  );
}

function listed(items: readonly ItemRef[]) {
  const refs = items.map(({ change_set_id, user_id, role_id }) => ({ change_set_id, user_id, role_id }));
  return sql`jsonb_to_recordset(${JSON.stringify(refs)}::jsonb) as d (change_set_id text, user_id text, role_id text)`;
}

function isMine({ communityId, claimedBy }: Writer) {
  return sql`i.community_id = ${communityId} and i.change_set_id = d.change_set_id and i.user_id = d.user_id and i.role_id = d.role_id
    and i.state = 'sent' and i.claimed_by = ${claimedBy}`;
}

/** The state of every item of these change sets. */
export function selectItemsOf(
  db: Sql,
  changeSetIds: readonly string[],
): Promise<Pick<ChangeSetItemRow, 'user_id' | 'role_id' | 'action' | 'state' | 'last_error'>[]> {
  return db
    .selectFrom('change_set_items')
    .select(['user_id', 'role_id', 'action', 'state', 'last_error'])
    .where('change_set_id', '=', (eb) => eb.fn.any(eb.val([...changeSetIds])))
    .execute();
}

/**
 * Requeues the wanted items among those that failed, and drops the change set's other failed items for good. If a newer
 * change for the same member and role is pending, that one wins. The results of earlier tries are unknown, so the
 * platform is read before the next one.
 */
export async function reviveItems(
  tx: Tx,
  changeSetId: string,
  wanted: readonly { user_id: string; role_id: string }[],
): Promise<void> {
  const refs = wanted.map(({ user_id, role_id }) => ({ user_id, role_id }));
  await sql`
    update change_set_items i set state = 'pending', tries = 1, due_at = null, last_error = null
    from jsonb_to_recordset(${JSON.stringify(refs)}::jsonb) as d (user_id text, role_id text)
    where i.change_set_id = ${changeSetId} and i.state = 'failed' and i.user_id = d.user_id and i.role_id = d.role_id and not exists (
      select from change_set_items o where o.community_id = i.community_id and o.user_id = i.user_id
        and o.role_id = i.role_id and o.state in ('pending', 'sent')
    )`.execute(tx);
  await tx
    .updateTable('change_set_items')
    .set({ state: 'dropped', drop_reason: 'not-needed' })
    .where('change_set_id', '=', changeSetId)
    .where('state', '=', 'failed')
    .execute();
}

/** Fails the items that change sets could not write at the first try. */
export async function failWaiting(
  tx: Tx,
  communityId: string,
  changeSetIds: readonly string[],
  error: string,
  now: Date,
): Promise<void> {
  await lockCommunity(tx, communityId);
  await tx
    .updateTable('change_set_items')
    .set({ state: 'failed', last_error: error })
    .where('change_set_id', '=', (eb) => eb.fn.any(eb.val([...changeSetIds])))
    .where('state', '=', 'pending')
    .execute();
  await finishChangeSets(tx, communityId, now);
}

/** When the next postponed item of a community can be retried, if any. */
export async function nextDue(db: Sql, communityId: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('change_set_items')
    .select((eb) => eb.fn.min('due_at').as('due_at'))
    .where('community_id', '=', communityId)
    .where('state', '=', 'pending')
    .where('due_at', 'is not', null)
    .executeTakeFirst();
  return row?.due_at ?? undefined;
}

/**
 * Adds written changes to the totals of their change sets. Runs last in its transaction and in id order, to avoid
 * deadlocks on change sets.
 */
export async function countWritten(tx: Tx, communityId: string, written: readonly LedgerChange[]): Promise<void> {
  if (written.length === 0) return;
  const ids = [...new Set(written.map(({ change_set_id }) => change_set_id))];
  await lockChangeSets(tx, communityId, ids);
  await sql`
    update change_sets p set written_grants = p.written_grants + n.grants, written_revokes = p.written_revokes + n.revokes,
      written_members = p.written_members + n.members
    from (
      select w.change_set_id, count(*) filter (where w.action = 'grant') as grants,
        count(*) filter (where w.action = 'revoke') as revokes,
        count(distinct w.user_id) filter (where not exists (
          select from role_ledger l
          where l.community_id = ${communityId} and l.change_set_id = w.change_set_id and l.user_id = w.user_id and l.id < ${Math.min(...written.map(({ id }) => id))}
        )) as members
      from jsonb_to_recordset(${JSON.stringify(written)}::jsonb) as w (change_set_id text, user_id text, action text)
      group by w.change_set_id
    ) n
    where p.community_id = ${communityId} and p.id = n.change_set_id and p.id = any(${ids}::text[])`.execute(tx);
}

/** Locks change sets in id order, so that transactions that change several of them cannot deadlock. */
async function lockChangeSets(tx: Tx, communityId: string, ids: readonly string[]): Promise<void> {
  await sql`
    select from change_sets where community_id = ${communityId} and id = any(${[...ids]}::text[])
    order by id for no key update`.execute(tx);
}

/** Updates the status of a community's change sets from their items. Admins are notified soon after one ends. */
export async function finishChangeSets(tx: Tx, communityId: string, now: Date): Promise<void> {
  const unfinished = await tx
    .selectFrom('change_sets')
    .select('id')
    .where('community_id', '=', communityId)
    .where('status', 'in', ['approved', 'applying', 'failed'])
    .where('finished_at', 'is', null)
    .execute();
  if (unfinished.length === 0) return;
  await lockChangeSets(
    tx,
    communityId,
    unfinished.map(({ id }) => id),
  );
  const { rows } = await sql<Pick<ChangeSetRow, 'finished_at' | 'decided_by' | 'written_members'>>`
    with counted as (
      select p.id,
        count(*) filter (where i.state in ('planned', 'pending', 'sent')) as open,
        count(*) filter (where i.state = 'pending' and s.advice is null or i.state = 'sent') as going,
        count(*) filter (where i.state = 'failed') as failed, count(i.state) as items,
        count(*) filter (where i.state not in ('planned', 'pending')) as queued,
        max(s.advice) as advice, max(i.last_error) filter (where i.state = 'failed') as error
      from change_sets p
      left join change_set_items i on i.community_id = p.community_id and i.change_set_id = p.id
      left join lateral (
        select max(s.advice) as advice from role_circuit_breakers s where i.state = 'pending' and ${holdsFor}
      ) s on true
      where p.community_id = ${communityId} and p.status in ('approved', 'applying', 'failed') and p.finished_at is null
      group by p.id
    )
    update change_sets p set
      status = case
        when c.open = 0 and c.failed = 0 and c.items > 0 and p.written_members = 0 then 'dropped'
        when c.open = 0 and c.failed = 0 then 'done'
        when c.going = 0 then 'failed'
        when c.queued > 0 then 'applying'
        else 'approved'
      end,
      note = case
        when c.open = 0 and c.failed = 0 and c.items > 0 and p.written_members = 0 then ${nothingWritten}
        when c.open = 0 and c.failed = 0 then null else coalesce(c.advice, c.error, p.note) end,
      finished_at = case when c.open = 0 then ${now}::timestamptz end
    from counted c where p.community_id = ${communityId} and p.id = c.id
    returning p.finished_at, p.decided_by, p.written_members`.execute(tx);
  await announce(tx, { changed: 'changeSets', community: communityId });
  const isNews = (row: (typeof rows)[number]) =>
    row.finished_at !== null && row.decided_by === null && row.written_members >= 10;
  if (rows.some(isNews)) await notifyAdminsSoon(tx);
}

/** What holds back role changes of a community. */
interface WaitingRoles {
  heldChangeSets: number;
  /** Roles that cannot be granted to any member; `*` counts as one. */
  blockedRoles: number;
}

/** Counts what is waiting in these communities, by id. Communities where nothing is waiting are absent. */
export async function countWaiting(db: Sql, communityIds: readonly string[]): Promise<Map<string, WaitingRoles>> {
  if (communityIds.length === 0) return new Map();
  const { rows } = await sql<WaitingRoles & { id: string }>`
    select c.id,
      (select count(*) from change_sets p where p.community_id = c.id and p.status = 'held') as "heldChangeSets",
      (select count(*) from role_circuit_breakers s where s.community_id = c.id and s.user_id = '*') as "blockedRoles"
    from unnest(${[...communityIds]}::text[]) as c (id)`.execute(db);
  const waiting = rows.filter(({ heldChangeSets, blockedRoles }) => heldChangeSets + blockedRoles > 0);
  return new Map(waiting.map(({ id, ...counts }) => [id, counts]));
}

/** The causes of change sets that do not come from a rule. */
export const ownCauses = { undo: 'undo', guest: 'guest pass', join: 'join request' } as const;

/** Whether a change set follows from rules, so that checking its members shows whether its changes are still wanted. */
export function followsFromRules(cause: string): boolean {
  return !Object.values<string>(ownCauses).includes(cause);
}

/** How many grants and removals of each role are approved and not recorded as written: some of them may be made already. */
export async function countOpenWrites(
  db: Sql,
  communityId: string,
): Promise<Map<string, { grants: number; revokes: number }>> {
  const { rows } = await sql<{ role_id: string; grants: number; revokes: number }>`
    select role_id, (count(*) filter (where action = 'grant'))::int as grants,
      (count(*) filter (where action = 'revoke'))::int as revokes
    from change_set_items where community_id = ${communityId} and state in ('pending', 'sent')
    group by role_id`.execute(db);
  return new Map(rows.map(({ role_id, grants, revokes }) => [role_id, { grants, revokes }]));
}

/** The roles that the rules of a community grant or remove. */
export async function selectRuledRoles(db: Sql, communityId: string): Promise<string[]> {
  const rows = await selectRules(db, communityId);
  const { compositions } = openRules(rows);
  return [...new Set([...rows.map((row) => row.role_id), ...compositions.map(({ roleId }) => roleId)])];
}

/** Drops pending changes of roles that no rule names any more. */
export async function dropUnruled(tx: Tx, communityId: string, ruledRoleIds: readonly string[]): Promise<void> {
  await sql`
    update change_set_items i set state = 'dropped', drop_reason = 'role-without-rule', last_error = 'No rule names this role any more.'
    from change_sets p where ${isOfRules(communityId)} and i.role_id <> all(${[...ruledRoleIds]}::text[])`.execute(tx);
}

/**
 * Drops pending changes of roles whose rules changed; the check that follows decides again. Returns the rule changes
 * behind change sets of which nothing was written: they also caused what follows.
 */
export async function dropOfChangedRules(tx: Tx, communityId: string, roleIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ rule_change_ids: string[] }>`
    with dropped as (
      update change_set_items i set state = 'dropped', drop_reason = 'rule-changed', last_error = 'A rule of this role changed.'
      from change_sets p where ${isOfRules(communityId)} and i.role_id = any(${[...roleIds]}::text[])
      returning p.id, p.rule_change_ids, p.written_members
    )
    select distinct rule_change_ids from dropped where written_members = 0 and rule_change_ids <> '{}'`.execute(tx);
  return [...new Set(rows.flatMap(({ rule_change_ids }) => rule_change_ids))];
}

function isOfRules(communityId: string) {
  return sql`p.community_id = i.community_id and p.id = i.change_set_id and i.community_id = ${communityId} and i.state in ('planned', 'pending')
    and p.cause <> all(${Object.values(ownCauses)}::text[])`;
}

/** The roles with pending changes. */
export async function selectWaitingRoles(db: Sql, communityId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('change_set_items')
    .select('role_id')
    .distinct()
    .where('community_id', '=', communityId)
    .where('state', 'in', ['planned', 'pending', 'sent'])
    .execute();
  return rows.map((row) => row.role_id);
}
