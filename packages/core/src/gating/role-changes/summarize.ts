import { sql } from '@latchkey/db';
import type { Context } from '../../shared/context.ts';
import { ownPlan } from './own-plan.ts';
import type { RoleAction } from './plan.ts';
import './tables.ts';

/** What a plan does with one role: how many members are concerned, and how many of them still or already. */
export interface PlanShare {
  roleId: string;
  action: RoleAction;
  members: number;
  /** What waits for an admin or for its turn. */
  waiting: number;
  /** What was written, or perhaps written: what an undo puts back. */
  written: number;
}

/** Counts what a plan changes, role by role. */
export async function summarizeRolePlan(ctx: Context, planId: string): Promise<PlanShare[]> {
  const { plan } = await ownPlan(ctx, planId);
  const { rows } = await sql<PlanShare>`
    select role_id as "roleId", action, count(*) as members,
      count(*) filter (where state in ('planned', 'pending')) as waiting,
      count(*) filter (where state in ('sent', 'confirmed')) as written
    from role_plan_items where plan_id = ${plan.id}
    group by role_id, action order by count(*) desc, role_id, action`.execute(ctx.db.system);
  return rows;
}
