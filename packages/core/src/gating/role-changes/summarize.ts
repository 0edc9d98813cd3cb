import { sql } from '@latchkey/db';
import type { Context } from '../../shared/context.ts';
import type { RoleAction } from './change-set.ts';
import { ownChangeSet } from './own-change-set.ts';
import './tables.ts';

/** What a change set does with one role: how many members are concerned, and how many of them still or already. */
export interface ChangeSetShare {
  roleId: string;
  action: RoleAction;
  members: number;
  /** What waits for an admin or for its turn. */
  waiting: number;
  /** What was written, or perhaps written: what an undo puts back. */
  written: number;
}

/** Counts what a change set changes, role by role. */
export async function summarizeChangeSet(ctx: Context, changeSetId: string): Promise<ChangeSetShare[]> {
  const { changeSet } = await ownChangeSet(ctx, changeSetId);
  const { rows } = await sql<ChangeSetShare>`
    select role_id as "roleId", action, count(*) as members,
      count(*) filter (where state in ('planned', 'pending')) as waiting,
      count(*) filter (where state in ('sent', 'confirmed')) as written
    from change_set_items where change_set_id = ${changeSet.id}
    group by role_id, action order by count(*) desc, role_id, action`.execute(ctx.db.system);
  return rows;
}
