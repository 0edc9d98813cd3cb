import { type Sql, sql } from '@latchkey/db';
import { communityStates } from '../../communities/community-records/index.ts';
import { presentCount } from '../../communities/memberships/index.ts';
import { hasRules } from '../../communities/rule-records/index.ts';
import { manualChangesSince } from '../../gating/manual-changes/index.ts';
import {
  blockedRoles,
  type ChangeSetStatus,
  changeSetStates,
  heldChangeSets,
  unannouncedChangeSets,
} from '../../gating/role-changes/index.ts';
import { brokenRuleCauses } from '../../gating/rule-health/index.ts';
import { newBackDoors } from '../back-doors/index.ts';
import { takenWays } from '../telegram-gate/index.ts';
import './queries.ts';
import type { NoticeDetails, NoticeKind } from './queries.ts';

/** Something that admins have not been notified of yet. */
export interface Found {
  community_id: string;
  owner_id: string;
  kind: NoticeKind;
  about: string;
  details: NoticeDetails;
}

export async function selectHeldChangeSets(db: Sql, limit: number): Promise<Found[]> {
  const { rows } = await sql<Pick<Found, 'community_id' | 'owner_id' | 'about'> & { waiting: number }>`
    select p.community_id, c.owner_id, p.id as about, p.waiting
    from (${heldChangeSets}) p join (${communityStates}) c on c.id = p.community_id
    where ${isNew('held-change-set', sql.ref('p.id'))}
    order by p.created_at limit ${limit}`.execute(db);
  return rows.map(({ waiting, ...row }) => ({ ...row, kind: 'held-change-set', details: { waiting } }));
}

/** A held change set that gained fewer changes than this is not worth another message. */
const leastGrowth = 10;

/**
 * Held change sets that doubled since admins were notified, and by at least ten changes. Each doubling is one notice,
 * however many checks added to it, and one that shrinks and grows again is not reported again.
 */
export async function selectGrown(db: Sql, limit: number): Promise<Found[]> {
  const { rows } = await sql<Pick<Found, 'community_id' | 'owner_id' | 'about'> & { waiting: number; before: number }>`
    select p.community_id, c.owner_id, p.id || ':' || p.doublings as about, p.waiting, p.before
    from (
      select h.*, floor(log(2, h.waiting::numeric / h.base))::int as doublings, coalesce(g.before, h.base) as before,
        coalesce(g.doublings, 0) as known
      from (
        select p.id, p.community_id, p.created_at, p.waiting, (n.details ->> 'waiting')::int as base
        from (${heldChangeSets}) p join admin_notices n
          on n.community_id = p.community_id and n.kind = 'held-change-set' and n.about = p.id and n.closed_at is null
        where (n.details ->> 'waiting')::int > 0 and p.changes >= 2 * (n.details ->> 'waiting')::int
      ) h left join lateral (
        select max((n.details ->> 'waiting')::int) as before, max(split_part(n.about, ':', 2)::int) as doublings
        from admin_notices n
        where n.community_id = h.community_id and n.kind = 'held-growth' and starts_with(n.about, h.id || ':')
      ) g on true
      where h.waiting >= 2 * h.base and h.waiting >= h.base + ${leastGrowth}
    ) p join (${communityStates}) c on c.id = p.community_id
    where p.doublings > p.known
    order by p.created_at limit ${limit}`.execute(db);
  return rows.map(({ waiting, before, ...row }) => ({ ...row, kind: 'held-growth', details: { waiting, before } }));
}

/** Roles that cannot be granted to anyone; a refusal for one member only is shown in the list of blocked roles. */
export async function selectBlockedRoles(db: Sql, limit: number): Promise<Found[]> {
  const { rows } = await sql<Pick<Found, 'community_id' | 'owner_id' | 'about'> & { advice: string }>`
    select p.community_id, c.owner_id, p.role_id as about, p.advice
    from (${blockedRoles}) p join (${communityStates}) c on c.id = p.community_id
    where ${isNew('blocked-role', sql.ref('p.role_id'))}
    order by p.since limit ${limit}`.execute(db);
  return rows.map(({ advice, ...row }) => ({ ...row, kind: 'blocked-role', details: { advice } }));
}

/** Communities with rules from which the bot was removed recently. */
export async function selectLeft(db: Sql, since: Date, limit: number): Promise<Found[]> {
  const { rows } = await sql<Pick<Found, 'community_id' | 'owner_id'>>`
    select p.community_id, p.owner_id
    from (select id as community_id, owner_id, status, updated_at from (${communityStates}) c) p
    where p.status = 'kicked' and p.updated_at > ${since} and ${hasRules(sql.ref('p.community_id'))}
      and ${isNew('broken-setup', sql`${botIsOut}`)}
    limit ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, kind: 'broken-setup', about: botIsOut, details: {} }));
}

export const botIsOut = 'bot-is-out';

/** A change set whose notice is pending: what it has written so far, and whether that counts as large. */
export interface Unannounced {
  community_id: string;
  owner_id: string;
  id: string;
  written_grants: number;
  written_revokes: number;
  large_notice: 'undecided' | 'open';
  is_large: boolean;
  is_ended: boolean;
}

/**
 * Change sets that no admin decided and whose notice is due: those that wrote changes for at least `members` members
 * and more than `share` of the community, and those that ended. What was written counts, not what was planned.
 */
export async function selectUnannounced(
  db: Sql,
  { members, share }: { members: number; share: number },
  limit: number,
): Promise<Unannounced[]> {
  const { rows } = await sql<Unannounced>`
    select * from (
      select p.community_id, c.owner_id, p.id, p.created_at, p.written_grants, p.written_revokes, p.large_notice, p.is_ended,
        p.written_members >= ${Math.max(10, members)}
          and p.written_members > ${share}::float8 * (${presentCount(sql.ref('p.community_id'))}) as is_large
      from (${unannouncedChangeSets}) p join (${communityStates}) c on c.id = p.community_id
      where p.is_ended or p.large_notice = 'undecided' and p.written_members >= ${Math.max(10, members)}
    ) p
    where p.is_ended or p.is_large
    order by p.created_at limit ${limit}`.execute(db);
  return rows;
}

/**
 * What has prevented rules of active communities from being decided for a while. An outage of one chain is one notice,
 * however many rules read it.
 */
export async function selectBrokenRules(db: Sql, brokenBefore: Date, limit: number): Promise<Found[]> {
  const { rows } = await sql<Pick<Found, 'community_id' | 'owner_id' | 'about'>>`
    select p.community_id, c.owner_id, p.cause as about
    from (${brokenRuleCauses}) p join (${communityStates}) c on c.id = p.community_id
    where c.status = 'active' and p.since <= ${brokenBefore} and ${isNew('rule-health', sql.ref('p.cause'))}
    order by p.since limit ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, kind: 'rule-health', details: {} }));
}

/**
 * Roles that were recently changed manually, if their policy is to report it. Each is one notice, however many changes
 * there are.
 */
export async function selectChangedByHand(db: Sql, since: Date, limit: number): Promise<Found[]> {
  const { rows } = await sql<Pick<Found, 'community_id' | 'owner_id' | 'about'>>`
    select p.community_id, c.owner_id, p.role_id as about
    from (${manualChangesSince(since)}) p join (${communityStates}) c on c.id = p.community_id
    where c.status = 'active' and ${isNew('manual-changes', sql.ref('p.role_id'))}
    order by p.since limit ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, kind: 'manual-changes', details: {} }));
}

/** New ways to the roles of rules. Everything that one check found is one notice. */
export async function selectNewDoors(db: Sql, limit: number): Promise<Found[]> {
  const { rows } = await sql<Pick<Found, 'community_id' | 'owner_id' | 'about'>>`
    select p.community_id, c.owner_id, p.batch as about
    from (select community_id, batch, min(found_at) as found_at from (${newBackDoors}) d group by 1, 2) p
    join (${communityStates}) c on c.id = p.community_id
    where c.status = 'active' and ${isNew('back-doors', sql.ref('p.batch'))}
    order by p.found_at limit ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, kind: 'back-doors', details: {} }));
}

/**
 * New ways around the gate of a chat or room: each is one notice, however many people take it. One that was revoked before is announced
 * too, once.
 */
export async function selectNewWays(db: Sql, limit: number): Promise<Found[]> {
  const { rows } = await sql<Pick<Found, 'community_id' | 'owner_id' | 'about'>>`
    select p.community_id, c.owner_id, p.way_id as about
    from (${takenWays}) p join (${communityStates}) c on c.id = p.community_id
    where c.status = 'active' and ${isNew('gate-bypass', sql.ref('p.way_id'))} and not (p.is_revoked and exists (
      select from admin_notices n where n.community_id = p.community_id and n.kind = 'gate-bypass' and n.about = p.way_id
    ))
    order by p.last_at limit ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, kind: 'gate-bypass', details: {} }));
}

function isNew(kind: NoticeKind, about: ReturnType<typeof sql>) {
  return sql`not exists (
    select from admin_notices n where n.community_id = p.community_id and n.kind = ${kind} and n.about = ${about}
      and n.closed_at is null
  )`;
}

/** A sent, open notice, and the state of its cause. */
export interface Over {
  id: string;
  community_id: string;
  owner_id: string;
  kind: NoticeKind;
  about: string;
  details: NoticeDetails;
  status: ChangeSetStatus | null;
  decided_by: string | null;
}

/** Held change sets that are decided or gone, and large changes that were undone. */
export async function selectDecided(db: Sql, limit: number): Promise<Over[]> {
  const { rows } = await sql<Over>`
    select n.id, n.community_id, c.owner_id, n.kind, n.about, n.details, p.status, p.decided_by
    from admin_notices n join (${communityStates}) c on c.id = n.community_id
    left join (${changeSetStates}) p on p.id = split_part(n.about, ':', 1)
    where n.closed_at is null and (
      n.kind in ('held-change-set', 'held-growth') and p.status is distinct from 'held'
      or n.kind = 'large-change' and (p.status is null or p.status = 'undone')
    )
    limit ${limit}`.execute(db);
  return rows;
}

/** Records since when roles are unblocked or rules recovered, and resets that if they fail again. */
export async function noteFreed(db: Sql, now: Date): Promise<void> {
  await sql`
    update admin_notices n set gone_at = case when n.gone_at is null then ${now}::timestamptz end
    where n.closed_at is null and n.kind = 'blocked-role' and (n.gone_at is null) = not exists (
      select from (${blockedRoles}) s where s.community_id = n.community_id and s.role_id = n.about
    )`.execute(db);
  await sql`
    update admin_notices n set gone_at = case when n.gone_at is null then ${now}::timestamptz end
    where n.closed_at is null and n.kind = 'rule-health' and (n.gone_at is null) = not exists (
      select from (${brokenRuleCauses}) s where s.community_id = n.community_id and s.cause = n.about
    )`.execute(db);
}

/**
 * Notices to close: roles and rules that have been fine for long enough, bots that are back, roles no longer changed
 * manually, back doors that are closed or expected, and ways around the gate that nobody takes any more.
 */
export async function selectFreed(
  db: Sql,
  { goneBefore, changedSince }: { goneBefore: Date; changedSince: Date },
  limit: number,
): Promise<Over[]> {
  const { rows } = await sql<Over>`
    select n.id, n.community_id, c.owner_id, n.kind, n.about, n.details, null as status, null as decided_by
    from admin_notices n join (${communityStates}) c on c.id = n.community_id
    where n.closed_at is null and (
      n.kind in ('blocked-role', 'rule-health') and n.gone_at <= ${goneBefore}
      or n.kind = 'broken-setup' and n.about = ${botIsOut} and c.status <> 'kicked'
      or n.kind = 'back-doors' and not exists (
        select from (${newBackDoors}) s where s.community_id = n.community_id and s.batch = n.about
      )
      or n.kind = 'gate-bypass' and not exists (
        select from (${takenWays}) w where w.community_id = n.community_id and w.way_id = n.about
          -- What was revoked at once is still to be told.
          and not (w.is_revoked and exists (select from admin_notice_messages m where m.notice_id = n.id))
      )
      or n.kind = 'manual-changes' and not exists (
        select from (${manualChangesSince(changedSince)}) s where s.community_id = n.community_id and s.role_id = n.about
      )
    )
    limit ${limit}`.execute(db);
  return rows;
}

/** Known setup problems of communities, each as an instruction. Communities without any are absent. */
export async function selectSetupProblems(db: Sql, communityIds: readonly string[]): Promise<Map<string, string[]>> {
  if (communityIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('admin_notices')
    .select(['community_id', 'about', 'details'])
    .where('community_id', '=', (eb) => eb.fn.any(eb.val([...communityIds])))
    .where('kind', '=', 'broken-setup')
    .where('closed_at', 'is', null)
    .orderBy('noted_at')
    .execute();
  const byCommunity = Map.groupBy(rows, (row) => row.community_id);
  return new Map(
    [...byCommunity].map(([id, notices]) => [
      id,
      notices.flatMap(({ about, details }) => (about === botIsOut ? [out] : [...(details.problems ?? [])])),
    ]),
  );
}

const out = 'The bot was removed from the community. Add it again.';

/** When the setup of a community was last checked automatically. */
export async function selectSetupCheckTime(db: Sql, communityId: string): Promise<Date | undefined> {
  const { rows } = await sql<{ checked_at: Date }>`
    select checked_at from setup_checks where community_id = ${communityId}`.execute(db);
  return rows[0]?.checked_at;
}
