import { type Enqueueable, enqueue, type Sql, sql, type Tx } from '@latchkey/db';
import { shape, T } from '@latchkey/kernel';
import { communityIdField } from '../../shared/community-id.ts';
import type { Erasure } from '../../shared/module.ts';

/** A member due for a check. */
export interface QueuedMember {
  user_id: string;
  cause: ReconcileCause;
  is_requested: boolean;
  attempts: number;
  version: number;
  since: Date;
  rule_change_ids: string[];
}

/** The due entry for every member of the community, if there is one. */
export function selectEveryone(
  db: Sql,
  communityId: string,
  now: Date,
): Promise<(QueuedMember & { role_ids: string[] }) | undefined> {
  return db
    .selectFrom('reconcile_queue')
    .select(['user_id', 'cause', 'is_requested', 'attempts', 'version', 'since', 'role_ids', 'rule_change_ids'])
    .where('community_id', '=', communityId)
    .where('user_id', '=', everyMember)
    .where((eb) => eb.or([eb('due_at', 'is', null), eb('due_at', '<=', now)]))
    .executeTakeFirst();
}

/** The due members of a community; scheduled checks come last. */
export function selectDue(db: Sql, communityId: string, now: Date, limit: number): Promise<QueuedMember[]> {
  return db
    .selectFrom('reconcile_queue')
    .select(['user_id', 'cause', 'is_requested', 'attempts', 'version', 'since', 'rule_change_ids'])
    .where('community_id', '=', communityId)
    .where('user_id', '<>', everyMember)
    .where((eb) => eb.or([eb('due_at', 'is', null), eb('due_at', '<=', now)]))
    .orderBy((eb) => eb('cause', '=', 'schedule'))
    .orderBy('user_id')
    .limit(limit)
    .execute();
}

/**
 * How many members of a community, or whether one member, are waiting for a check, and how many are postponed until
 * something can be read.
 */
export async function countQueued(
  db: Sql,
  communityId: string,
  now: Date,
  userId?: string,
): Promise<{ is_everyone: boolean; due: number; later: number }> {
  const { rows } = await sql<{ is_everyone: boolean; due: number; later: number }>`
    select coalesce(bool_or(user_id = ${everyMember}), false) as is_everyone,
      count(*) filter (where user_id <> ${everyMember} and (due_at is null or due_at <= ${now})) as due,
      count(*) filter (where user_id <> ${everyMember} and due_at > ${now}) as later
    from reconcile_queue
    where community_id = ${communityId} and (${userId ?? null}::text is null or user_id in (${everyMember}, ${userId ?? null}))`.execute(
    db,
  );
  return rows[0] ?? { is_everyone: false, due: 0, later: 0 };
}

/** Whether a member is due now; one whose check was postponed is not. */
export async function isQueued(db: Sql, communityId: string, userId: string, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('reconcile_queue')
    .select('user_id')
    .where('community_id', '=', communityId)
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('due_at', 'is', null), eb('due_at', '<=', now)]))
    .executeTakeFirst();
  return row !== undefined;
}

/** When a member's check is due, if one is queued. */
export function selectQueued(
  db: Sql,
  communityId: string,
  userId: string,
): Promise<{ since: Date; due_at: Date | null; attempts: number } | undefined> {
  return db
    .selectFrom('reconcile_queue')
    .select(['since', 'due_at', 'attempts'])
    .where('community_id', '=', communityId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/** The communities with members that are due. */
export async function selectDueCommunities(db: Sql, now: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('reconcile_queue')
    .select('community_id')
    .where((eb) => eb.or([eb('due_at', 'is', null), eb('due_at', '<=', now)]))
    .distinct()
    .execute();
  return rows.map((row) => row.community_id);
}

/**
 * Locks queue entries that are about to be removed or postponed, in the same order in which they are inserted, to avoid
 * deadlocks with concurrent inserts.
 */
export async function lockQueued(
  tx: Tx,
  communityId: string,
  queued: readonly Pick<QueuedMember, 'user_id'>[],
): Promise<void> {
  await sql`
    select from reconcile_queue
    where community_id = ${communityId} and user_id = any(${queued.map((queued) => queued.user_id)}::text[])
    order by user_id collate "C" for update`.execute(tx);
}

/** Removes queue entries, except those that were renewed while their members were checked. */
export async function dequeue(
  tx: Tx,
  communityId: string,
  queued: readonly Pick<QueuedMember, 'user_id' | 'version'>[],
): Promise<void> {
  await sql`
    delete from reconcile_queue t using unnest(
      ${queued.map((queued) => queued.user_id)}::text[], ${queued.map((queued) => queued.version)}::bigint[]
    ) as d (user_id, version)
    where t.community_id = ${communityId} and t.user_id = d.user_id and t.version = d.version`.execute(tx);
}

/**
 * Removes the entry for every member once each has one of its own. If more was added to it meanwhile, that stays, without the rule changes
 * that were passed on: otherwise the next check would drop what this one decides about their roles.
 */
export async function dequeueEveryone(
  tx: Tx,
  communityId: string,
  passedOn: Pick<QueuedMember, 'user_id' | 'version' | 'rule_change_ids'>,
): Promise<void> {
  await dequeue(tx, communityId, [passedOn]);
  await sql`
    update reconcile_queue set
      rule_change_ids = left_over.ids,
      role_ids = case when left_over.ids = '{}' and cause <> 'rule' then '{}' else role_ids end
    from (
      select array(
        select unnest(rule_change_ids) except select unnest(${passedOn.rule_change_ids}::bigint[])
      ) as ids
      from reconcile_queue where community_id = ${communityId} and user_id = ${everyMember}
    ) as left_over
    where community_id = ${communityId} and user_id = ${everyMember}`.execute(tx);
}

export async function dequeueAll(db: Sql, communityId: string): Promise<void> {
  await sql`
    with held as (
      select user_id from reconcile_queue where community_id = ${communityId} order by user_id collate "C" for update
    )
    delete from reconcile_queue t using held where t.community_id = ${communityId} and t.user_id = held.user_id`.execute(
    db,
  );
}

/** Postpones the check of members, because something about them could not be read. */
export async function postponeQueued(
  tx: Tx,
  communityId: string,
  queued: readonly Pick<QueuedMember, 'user_id' | 'version'>[],
  dueAt: Date,
): Promise<void> {
  await sql`
    update reconcile_queue t set attempts = t.attempts + 1, due_at = ${dueAt} from unnest(
      ${queued.map((queued) => queued.user_id)}::text[], ${queued.map((queued) => queued.version)}::bigint[]
    ) as d (user_id, version)
    where t.community_id = ${communityId} and t.user_id = d.user_id and t.version = d.version`.execute(tx);
}

/** Adds rule changes to the entry for every member, so that a crash before it is expanded loses none of them. */
export async function noteRuleChanges(tx: Tx, communityId: string, ruleChangeIds: readonly string[]): Promise<void> {
  await sql`
    update reconcile_queue
    set rule_change_ids = array(select distinct unnest(rule_change_ids || ${[...ruleChangeIds]}::bigint[]))
    where community_id = ${communityId} and user_id = ${everyMember}`.execute(tx);
}

/** Expands the entry for every member into entries for these members. Existing entries are kept and merged. */
export async function enqueueMembers(
  tx: Tx,
  communityId: string,
  userIds: readonly string[],
  everyone: Pick<QueuedMember, 'cause' | 'is_requested' | 'since' | 'rule_change_ids'>,
): Promise<void> {
  await sql`
    insert into reconcile_queue (community_id, user_id, cause, is_requested, role_ids, rule_change_ids, since)
    select ${communityId}, user_id, ${everyone.cause}, ${everyone.is_requested}, '{}', ${everyone.rule_change_ids}::bigint[],
      ${everyone.since}
    from unnest(${[...userIds]}::text[]) as u (user_id) order by user_id collate "C"
    on conflict (community_id, user_id) do update set
      is_requested = reconcile_queue.is_requested or excluded.is_requested, due_at = null,
      rule_change_ids = array(select distinct unnest(reconcile_queue.rule_change_ids || excluded.rule_change_ids))`.execute(
    tx,
  );
}

/** Why members are checked. */
export type ReconcileCause =
  | 'requested'
  | 'schedule'
  | 'wallet'
  | 'chain'
  | 'rule'
  | 'joined'
  | 'left'
  | 'manual-change';

export interface ReconcileRequest {
  /** The qualified id: `DIS#COMM#…`. */
  communityId: string;
  /** Qualified ids, or every member. */
  members: readonly string[] | '*';
  cause: ReconcileCause;
  /** The roles whose rules changed; for a rule change, absent means every role. */
  roleIds?: readonly string[];
  /** The entries of the rule history that led to it. */
  ruleChangeIds?: readonly string[];
  /** The earliest time of the check. */
  dueAt?: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    reconcile_queue: {
      community_id: string;
      user_id: string;
      cause: ReconcileCause;
      is_requested: boolean;
      role_ids: string[];
      rule_change_ids: string[];
      attempts: number;
      due_at: Date | null;
      version: number;
      /** Since when it is due. */
      since: Date;
    };
  }
}

/** Placeholder for every member of a community. */
const everyMember = '*';

/** Checks the queued members of one community. The job is implemented in the gating module. */
export const checkCommunity: Enqueueable<{ communityId: string }> = {
  name: 'gating.check',
  payload: shape(T.Object({ communityId: communityIdField() })),
};

/**
 * Queues a role check for these members, in the transaction of the change that caused it. Several entries for one
 * member before the check are merged: a check that starts later sees every change.
 */
export async function enqueueReconcile(
  tx: Sql,
  { communityId, members, cause, roleIds = [], ruleChangeIds = [], dueAt }: ReconcileRequest,
): Promise<void> {
  const userIds = members === '*' ? [everyMember] : [...new Set(members)];
  if (userIds.length === 0) return;
  // Sorted, so that two lists cannot deadlock.
  await sql`
    insert into reconcile_queue (community_id, user_id, cause, is_requested, role_ids, rule_change_ids, due_at, since)
    select c.id, user_id, ${cause}, ${cause === 'requested'}, ${[...roleIds]}::text[], ${[...ruleChangeIds]}::bigint[],
      ${dueAt ?? null}::timestamptz,
      coalesce(${dueAt ?? null}::timestamptz, now())
    from hold_community(${communityId}) as c (id), unnest(${userIds}::text[]) as u (user_id)
    order by user_id collate "C"
    on conflict (community_id, user_id) do update set
      cause = excluded.cause,
      is_requested = reconcile_queue.is_requested or excluded.is_requested,
      role_ids = array(select distinct unnest(reconcile_queue.role_ids || excluded.role_ids)),
      rule_change_ids = array(select distinct unnest(reconcile_queue.rule_change_ids || excluded.rule_change_ids)),
      attempts = 0,
      since = least(reconcile_queue.since, excluded.since),
      due_at = case
        when reconcile_queue.due_at is null or excluded.due_at is null then null
        else least(reconcile_queue.due_at, excluded.due_at)
      end,
      version = nextval('reconcile_queue_versions')`.execute(tx);
  if (dueAt === undefined) await enqueue(tx, checkCommunity, { communityId }, { uniqueKey: communityId });
}

/** Selects how many entries of a user are queued, for statements of other modules. */
export const queuedCount = (userId: string) =>
  sql<number>`select count(*) from reconcile_queue where user_id = ${userId}`;

/** Removes the queued role check of a person. */
export const reconcileQueueErasure: Erasure = {
  columns: ['reconcile_queue.user_id'],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('reconcile_queue').where('user_id', '=', userId).execute();
  },
};

/** Metrics of the reconcile queue: rows of (metric, label, value), combined over all modules in one statement. */
export const checkMetrics = sql`
  select metric, label, value from (
    select count(*) filter (where due_at > now()) as postponed, count(*) filter (where due_at is null or due_at <= now()) as due,
      min(since) filter (where due_at is null or due_at <= now()) as oldest
    from reconcile_queue
  ) q, lateral (values
    ('checks', 'postponed', postponed::float8), ('checks', 'due', due),
    ('oldest-check', '', coalesce(extract(epoch from now() - oldest), 0))
  ) m (metric, label, value)`;
