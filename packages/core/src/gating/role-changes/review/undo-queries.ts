import { type RawBuilder, type Sql, sql, type Tx } from '@latchkey/db';
import { rolesIn } from '../../../communities/memberships/index.ts';
import type { RoleAction } from '../planning/change-set.ts';
import type { Pair } from '../planning/suppression-queries.ts';
import type { ChangeSetRow } from '../tables.ts';
import type { UndoShare } from './undo-brakes.ts';
import '../tables.ts';

/** What an undo does with one change that was written. */
export const undoOutcomes = ['revert', 'already-reverted', 'superseded'] as const;
export type UndoOutcome = (typeof undoOutcomes)[number];

export interface UndoEffect {
  user_id: string;
  role_id: string;
  /** What the change set did. */
  action: RoleAction;
  outcome: UndoOutcome;
  /** The newest ledger entry of the same member and role, if another change set wrote it later. */
  later_entry_id: string | null;
  later_change_set_id: string | null;
}

type Undone = Pick<ChangeSetRow, 'id' | 'community_id'>;

/**
 * Selects what an undo does with everything that a change set wrote or is writing. A preview and the undo itself use
 * the same query. What another change set wrote later, or has begun to write, is left to that one. A role that looks as
 * it did before was changed back on the platform; the writer verifies that before it writes.
 */
const effectsOf = ({ id, community_id }: Undone): RawBuilder<UndoEffect> => sql`
  select w.user_id, w.role_id, w.action, later.id::text as later_entry_id,
    coalesce(later.change_set_id, open.change_set_id) as later_change_set_id,
    case
      when later.id is not null or open.change_set_id is not null then 'superseded'
      when w.id is not null and (w.role_id = any(m.role_ids)) = (w.action = 'revoke') then 'already-reverted'
      else 'revert'
    end as outcome
  from (
    select l.id, l.user_id, l.role_id, l.action from role_ledger l
    where l.change_set_id = ${id} and not starts_with(l.user_id, 'ERASED#')
    union all
    select null, i.user_id, i.role_id, i.action from change_set_items i where i.change_set_id = ${id} and i.state = 'sent'
  ) w
  left join lateral (
    select l.id, l.change_set_id from role_ledger l
    where l.community_id = ${community_id} and l.user_id = w.user_id and l.role_id = w.role_id and l.id > w.id
    order by l.id desc limit 1
  ) later on true
  left join lateral (
    select o.change_set_id from change_set_items o
    where o.community_id = ${community_id} and o.user_id = w.user_id and o.role_id = w.role_id
      and o.change_set_id <> ${id} and o.state in ('pending', 'sent') limit 1
  ) open on true
  left join (${rolesIn(community_id)}) m on m.user_id = w.user_id`;

export async function selectUndoEffects(tx: Tx, changeSet: Undone): Promise<UndoEffect[]> {
  const { rows } = await sql<UndoEffect>`
    select * from (${effectsOf(changeSet)}) e order by user_id, role_id`.execute(tx);
  return rows;
}

/** The pairs that a change set has not written, or failed to write, and that no other change set has changed since. */
export async function selectUndecided(tx: Tx, { id, community_id }: Undone): Promise<Pair[]> {
  const { rows } = await sql<Pair>`
    select i.user_id as "userId", i.role_id as "roleId" from change_set_items i join change_sets p on p.id = i.change_set_id
    where i.change_set_id = ${id} and i.state in ('planned', 'pending', 'failed') and not exists (
      select from role_ledger l
      where l.community_id = ${community_id} and l.user_id = i.user_id and l.role_id = i.role_id
        and l.change_set_id <> ${id} and l.at > p.created_at
    )`.execute(tx);
  return rows;
}

export async function listUndoEffects(
  db: Sql,
  changeSet: Undone,
  after: readonly string[] | undefined,
  limit: number,
): Promise<UndoEffect[]> {
  const [userId = '', roleId = ''] = after ?? [];
  const { rows } = await sql<UndoEffect>`
    select * from (${effectsOf(changeSet)}) e
    where (user_id, role_id) > (${userId}, ${roleId}) order by user_id, role_id limit ${limit}`.execute(db);
  return rows;
}

export interface UndoTotals {
  /** How many roles the undo grants, how many it removes, and for how many members. */
  grants: number;
  revokes: number;
  members: number;
  alreadyReverted: number;
  superseded: number;
  /** Changes that were not written and are cancelled. */
  cancelled: number;
}

export async function countUndoEffects(db: Sql, changeSet: Undone): Promise<UndoTotals> {
  const { rows } = await sql<UndoTotals>`
    select count(*) filter (where outcome = 'revert' and action = 'revoke') as grants,
      count(*) filter (where outcome = 'revert' and action = 'grant') as revokes,
      count(distinct user_id) filter (where outcome = 'revert') as members,
      count(*) filter (where outcome = 'already-reverted') as "alreadyReverted",
      count(*) filter (where outcome = 'superseded') as superseded,
      (select count(*) from change_set_items
        where change_set_id = ${changeSet.id} and state in ('planned', 'pending')) as cancelled
    from (${effectsOf(changeSet)}) e`.execute(db);
  return rows[0] ?? { grants: 0, revokes: 0, members: 0, alreadyReverted: 0, superseded: 0, cancelled: 0 };
}

/** How many roles an undo grants or removes, role by role. */
export async function countUndoShares(db: Sql, changeSet: Undone): Promise<UndoShare[]> {
  const { rows } = await sql<UndoShare>`
    select role_id as "roleId", case action when 'grant' then 'revoke' else 'grant' end as action,
      count(distinct user_id) as members
    from (${effectsOf(changeSet)}) e where outcome = 'revert' group by role_id, action order by role_id, action`.execute(
    db,
  );
  return rows;
}

/** Drops what a held undo would change although a later change set has decided about it since the undo was requested. */
export async function dropSuperseded(tx: Tx, undoId: string, undone: Undone): Promise<void> {
  await sql`
    update change_set_items i set state = 'dropped', drop_reason = 'superseded' from (${effectsOf(undone)}) e
    where i.change_set_id = ${undoId} and i.state = 'planned' and i.user_id = e.user_id and i.role_id = e.role_id
      and e.outcome = 'superseded'`.execute(tx);
}
