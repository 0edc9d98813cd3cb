import { type Sql, sql, type Tx } from '@latchkey/db';
import { announce } from '../../../services/live-updates/index.ts';
import type { RoleAction, RoleChange } from './change-set.ts';
import '../tables.ts';

/** A role in a held change set that later changes of the same kind can join. */
export interface JoinableRole {
  id: string;
  roleId: string;
  action: RoleAction;
  ruleChangeIds: string[];
}

/**
 * The held change sets that changes can join, role by role, the newest first: those that follow from the rules, and that
 * no admin has approved yet, because an approval covers only what was shown. Reads nothing for a check that neither
 * follows from a rule change nor exceeds a limit.
 */
export async function selectJoinable(
  tx: Tx,
  communityId: string,
  ruleChangeIds: readonly string[],
  { mayHold }: { mayHold: boolean },
): Promise<JoinableRole[]> {
  if (!mayHold && ruleChangeIds.length === 0) return [];
  const { rows } = await sql<JoinableRole>`
    select p.id, i.role_id as "roleId", i.action, p.rule_change_ids::text[] as "ruleChangeIds"
    from change_sets p join change_set_items i on i.change_set_id = p.id and i.state = 'planned'
    where p.community_id = ${communityId} and p.status = 'held' and p.undoes is null
      and not exists (select from change_set_approvals a where a.change_set_id = p.id)
    group by p.id, p.created_at, p.rule_change_ids, i.role_id, i.action
    order by p.created_at desc, p.id`.execute(tx);
  return rows;
}

/** Adds changes to a held change set. One that was dropped from it because it was not needed waits again. */
export async function joinHeld(
  tx: Tx,
  changeSetId: string,
  changes: readonly RoleChange[],
  ruleChangeIds: readonly string[],
  now: Date,
): Promise<void> {
  await sql`
    insert into change_set_items (change_set_id, community_id, user_id, role_id, action, state, rank, reason, blocks, joined_at)
    select p.id, p.community_id, "userId", "roleId", c.action, 'planned',
      (select max(rank) from change_set_items i where i.change_set_id = p.id), c.reason, c.blocks, ${now}
    from change_sets p, jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
      as c ("userId" text, "roleId" text, action text, reason jsonb, blocks jsonb)
    where p.id = ${changeSetId}
    on conflict (change_set_id, user_id, role_id) do update set state = 'planned', drop_reason = null, last_error = null,
      action = excluded.action, reason = excluded.reason, blocks = excluded.blocks
    where change_set_items.state = 'dropped'`.execute(tx);
  const { rows } = await sql<{ community_id: string }>`
    update change_sets p set grants = i.grants, revokes = i.revokes, calls = i.members,
      rule_change_ids = array(select distinct unnest(p.rule_change_ids || ${[...ruleChangeIds]}::bigint[]) order by 1)
    from (
      select count(*) filter (where action = 'grant') as grants, count(*) filter (where action = 'revoke') as revokes,
        count(distinct user_id) as members
      from change_set_items where change_set_id = ${changeSetId}
    ) i
    where p.id = ${changeSetId} returning p.community_id`.execute(tx);
  for (const { community_id: community } of rows)
    await announce(tx, { changed: 'changeSets', id: changeSetId, community });
}

/** How many changes of each role wait in held change sets, and how they differ from what was held first. */
export interface HeldNow {
  changeSetId: string;
  roleId: string;
  action: RoleAction;
  waiting: number;
  /** Of those, the ones that later checks added. */
  joined: number;
  /** No longer needed since then. */
  dropped: number;
}

export async function countHeldNow(db: Sql, changeSetIds: readonly string[]): Promise<HeldNow[]> {
  if (changeSetIds.length === 0) return [];
  const { rows } = await sql<HeldNow>`
    select change_set_id as "changeSetId", role_id as "roleId", action,
      count(*) filter (where state = 'planned') as waiting,
      count(*) filter (where state = 'planned' and joined_at is not null) as joined,
      count(*) filter (where state = 'dropped' and joined_at is null and drop_reason <> 'removal-rejected') as dropped
    from change_set_items where change_set_id = any(${[...changeSetIds]}::text[])
    group by change_set_id, role_id, action order by change_set_id, role_id, action`.execute(db);
  return rows;
}

/**
 * Notes that the members of a held change set are about to be checked, unless they were within `pauseSeconds` or it was
 * made within that time. Returns whether this call is the one that starts the check.
 */
export async function startRefresh(tx: Tx, changeSetId: string, before: Date, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('change_sets')
    .set({ refreshed_at: now })
    .where('id', '=', changeSetId)
    .where('status', '=', 'held')
    .where('created_at', '<=', before)
    .where((eb) => eb.or([eb('refreshed_at', 'is', null), eb('refreshed_at', '<=', before)]))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Members with changes that wait in a change set. */
export async function selectWaitingMembers(tx: Tx, changeSetId: string, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('change_set_items')
    .select('user_id')
    .distinct()
    .where('change_set_id', '=', changeSetId)
    .where('state', '=', 'planned')
    .orderBy('user_id')
    .limit(limit)
    .execute();
  return rows.map(({ user_id }) => user_id);
}
