import type { Page } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { ownCommunity, ownPlan } from './own-plan.ts';
import { listItems, listPlans } from './plan-queries.ts';
import { type RoleStop, selectStops } from './stop-queries.ts';
import type { RolePlanItemRow, RolePlanRow, RolePlanStatus } from './tables.ts';

/** The plans of a community, newest first: all of them, or those of one status. */
export async function listRolePlans(
  ctx: Context,
  communityId: string,
  { status, ...request }: PageRequest & { status?: RolePlanStatus } = {},
): Promise<Page<RolePlanRow>> {
  const { id } = await ownCommunity(ctx, communityId);
  return paginate(ctx, request, {
    list: `role-plans:${id}:${status ?? ''}`,
    read: (after, limit) => listPlans(ctx.db.system, id, after, limit, status),
    cursorOf: (plan) => [plan.created_at.toISOString(), plan.id],
  });
}

export interface RolePlanWithItems {
  plan: RolePlanRow;
  items: Page<Pick<RolePlanItemRow, 'user_id' | 'role_id' | 'action' | 'state' | 'reason' | 'blocks' | 'last_error'>>;
}

/** A plan and a page of what it changes: who gains, who loses, why, and how far it is. */
export async function getRolePlan(ctx: Context, planId: string, request: PageRequest = {}): Promise<RolePlanWithItems> {
  const { plan } = await ownPlan(ctx, planId);
  const items = await paginate(ctx, request, {
    list: `role-plan-items:${plan.id}`,
    read: (after, limit) => listItems(ctx.db.system, plan.id, after, limit),
    cursorOf: (item) => [item.user_id, item.role_id],
  });
  return { plan, items };
}

/** What keeps roles from being written, until a person changes it on the platform. */
export async function listRoleStops(ctx: Context, communityId: string): Promise<RoleStop[]> {
  return selectStops(ctx.db.system, (await ownCommunity(ctx, communityId)).id);
}
