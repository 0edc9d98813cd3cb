import { type Sql, sql } from '@latchkey/db';
import { communityStates, hasRules } from '../../communities/community/index.ts';
import { presentCount } from '../../communities/memberships/index.ts';
import {
  blockedRoles,
  type ChangeSetStatus,
  changeSetStates,
  heldChangeSets,
  undecidedChangeSets,
} from '../../gating/role-changes/index.ts';
import { brokenRuleCauses } from '../../gating/rule-health/index.ts';
import type { NoticeDetails, NoticeKind } from './queries.ts';

/** Something that nobody was told of. */
export interface Found {
  community_id: string;
  owner_id: string;
  kind: NoticeKind;
  about: string;
  details: NoticeDetails;
  grants?: number;
  revokes?: number;
}

export async function selectHeldChangeSets(db: Sql, limit: number): Promise<Found[]> {
  const { rows } = await sql<Pick<Found, 'community_id' | 'owner_id' | 'about'>>`
    select p.community_id, c.owner_id, p.id as about
    from (${heldChangeSets}) p join (${communityStates}) c on c.id = p.community_id
    where ${isNew('held-change-set', sql.ref('p.id'))}
    order by p.created_at limit ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, kind: 'held-change-set', details: {} }));
}

/** Roles that nobody can be given; what is refused for one member only is seen in the list of stops. */
export async function selectBlockedRoles(db: Sql, limit: number): Promise<Found[]> {
  const { rows } = await sql<Pick<Found, 'community_id' | 'owner_id' | 'about'> & { advice: string }>`
    select p.community_id, c.owner_id, p.role_id as about, p.advice
    from (${blockedRoles}) p join (${communityStates}) c on c.id = p.community_id
    where ${isNew('blocked-role', sql.ref('p.role_id'))}
    order by p.since limit ${limit}`.execute(db);
  return rows.map(({ advice, ...row }) => ({ ...row, kind: 'blocked-role', details: { advice } }));
}

/** Communities with rules from which the bot was taken lately. */
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

/** Change sets that nobody decided on and that change many members: so many, and more than this share of the community. */
export async function selectLargeChanges(
  db: Sql,
  { since, members, share }: { since: Date; members: number; share: number },
  limit: number,
): Promise<Found[]> {
  const { rows } = await sql<Pick<Found, 'community_id' | 'owner_id' | 'about' | 'grants' | 'revokes'>>`
    select p.community_id, c.owner_id, p.id as about, p.grants, p.revokes
    from (${undecidedChangeSets}) p join (${communityStates}) c on c.id = p.community_id
    where p.created_at > ${since} and p.calls >= 10 and p.calls >= ${members}
      and ${isNew('large-change', sql.ref('p.id'))}
      and p.calls > ${share}::float8 * (${presentCount(sql.ref('p.community_id'))})
    order by p.created_at limit ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, kind: 'large-change', details: {} }));
}

/**
 * What has kept rules of active communities from being decided for a while. An outage of one chain is one notice, however many
 * rules read it.
 */
export async function selectBrokenRules(db: Sql, brokenBefore: Date, limit: number): Promise<Found[]> {
  const { rows } = await sql<Pick<Found, 'community_id' | 'owner_id' | 'about'>>`
    select p.community_id, c.owner_id, p.cause as about
    from (${brokenRuleCauses}) p join (${communityStates}) c on c.id = p.community_id
    where c.status = 'active' and p.since <= ${brokenBefore} and ${isNew('rule-health', sql.ref('p.cause'))}
    order by p.since limit ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, kind: 'rule-health', details: {} }));
}

function isNew(kind: NoticeKind, about: ReturnType<typeof sql>) {
  return sql`not exists (
    select from admin_notices n where n.community_id = p.community_id and n.kind = ${kind} and n.about = ${about}
      and n.closed_at is null
  )`;
}

/** A notice that is told and open, and what became of its cause. */
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
    left join (${changeSetStates}) p on p.id = n.about
    where n.closed_at is null and (
      n.kind = 'held-change-set' and p.status is distinct from 'held'
      or n.kind = 'large-change' and (p.status is null or p.status = 'undone')
    )
    limit ${limit}`.execute(db);
  return rows;
}

/** Notes since when roles are free and rules are well again, and that others are blocked or broken once more. */
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

/** What has been free for so long that it can be told, and the bots that are back. */
export async function selectFreed(db: Sql, goneBefore: Date, limit: number): Promise<Over[]> {
  const { rows } = await sql<Over>`
    select n.id, n.community_id, c.owner_id, n.kind, n.about, n.details, null as status, null as decided_by
    from admin_notices n join (${communityStates}) c on c.id = n.community_id
    where n.closed_at is null and (
      n.kind in ('blocked-role', 'rule-health') and n.gone_at <= ${goneBefore}
      or n.kind = 'broken-setup' and n.about = ${botIsOut} and c.status <> 'kicked'
    )
    limit ${limit}`.execute(db);
  return rows;
}
