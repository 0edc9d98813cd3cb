import type { Page } from '@latchkey/kernel';
import { requireFeature } from '../../../communities/communities/index.ts';
import type { Context } from '../../../context.ts';
import type { PageRequest } from '../../../paging.ts';
import { countTouched, touch } from '../../touches/index.ts';
import { approveRolePlan, rejectRolePlan } from '../approve.ts';
import { ownCommunity, ownPlanOf } from '../own-plan.ts';
import { previewRolePlan } from '../preview.ts';
import { getRolePlan, listRolePlans, listRoleStops } from '../reads.ts';
import { retryRolePlan } from '../retry.ts';
import { summarizeRolePlan } from '../summarize.ts';
import type { RolePlanStatus } from '../tables.ts';
import { undoRolePlan } from '../undo.ts';
import { toItem, toRolePlan } from './answers.ts';
import { readNames, readUserNames } from './names.ts';
import { memberKey } from './params.ts';
import type { RoleCheckProgress, RoleCheckStarted, RolePlan, RolePlanDetails, RoleStop } from './shapes.ts';

interface InCommunity {
  communityId: string;
}
interface OfPlan extends InCommunity {
  planId: string;
}
interface WithMembers extends InCommunity {
  body: { userIds?: string[] } | undefined;
}

export async function listPlans(
  ctx: Context,
  { communityId, ...request }: InCommunity & PageRequest & { status?: RolePlanStatus },
): Promise<Page<RolePlan>> {
  const community = await ownCommunity(ctx, communityId);
  const page = await listRolePlans(ctx, community.id, request);
  const deciders = page.items.map(({ decided_by }) => decided_by);
  const isNoted = page.items.some(({ note }) => note !== null);
  const names = await (isNoted ? readNames : readUserNames)(ctx, community, deciders);
  return { ...page, items: page.items.map((plan) => toRolePlan(plan, names)) };
}

export async function getPlan(
  ctx: Context,
  { communityId, planId, ...request }: OfPlan & PageRequest,
): Promise<RolePlanDetails> {
  const { community } = await ownPlanOf(ctx, communityId, planId);
  const { plan, items } = await getRolePlan(ctx, planId, request);
  const names = await readNames(ctx, community, [plan.decided_by, ...items.items.map((item) => item.user_id)]);
  const shares = await summarizeRolePlan(ctx, planId);
  return {
    ...items,
    plan: toRolePlan(plan, names),
    shares: shares.map((share) => ({ ...share, roleName: names.roleName(share.roleId) })),
    items: items.items.map((item) => toItem(item, names)),
  };
}

export async function previewPlan(ctx: Context, { communityId, body }: WithMembers): Promise<RolePlan> {
  const community = await ownCommunity(ctx, communityId);
  const members = body?.userIds?.map((id) => memberKey(community, id)) ?? '*';
  return toRolePlan(await previewRolePlan(ctx, community.id, members), await readUserNames(ctx, community, []));
}

export async function approvePlan(ctx: Context, named: OfPlan): Promise<RolePlan> {
  await ownPlanOf(ctx, named.communityId, named.planId);
  await approveRolePlan(ctx, named.planId);
  return showPlan(ctx, named);
}

export async function rejectPlan(ctx: Context, named: OfPlan): Promise<RolePlan> {
  await ownPlanOf(ctx, named.communityId, named.planId);
  await rejectRolePlan(ctx, named.planId);
  return showPlan(ctx, named);
}

export async function retryPlan(ctx: Context, named: OfPlan): Promise<RolePlan> {
  await ownPlanOf(ctx, named.communityId, named.planId);
  await retryRolePlan(ctx, named.planId);
  return showPlan(ctx, named);
}

/** Answers with the plan that takes the other one back. */
export async function undoPlan(ctx: Context, { communityId, planId }: OfPlan): Promise<RolePlan> {
  await ownPlanOf(ctx, communityId, planId);
  const undo = await undoRolePlan(ctx, planId);
  return showPlan(ctx, { communityId, planId: undo.id });
}

async function showPlan(ctx: Context, { communityId, planId }: OfPlan): Promise<RolePlan> {
  const { plan, community } = await ownPlanOf(ctx, communityId, planId);
  return toRolePlan(plan, await (plan.note === null ? readUserNames : readNames)(ctx, community, [plan.decided_by]));
}

export async function startRoleCheck(ctx: Context, { communityId, body }: WithMembers): Promise<RoleCheckStarted> {
  const community = await ownCommunity(ctx, communityId);
  await requireFeature(ctx, community.id, 'ON_DEMAND_BALANCE_CHECK');
  const userIds = body?.userIds?.map((id) => memberKey(community, id));
  await ctx.db.transaction('system', (tx) =>
    touch(tx, { communityId: community.id, members: userIds ?? '*', cause: 'asked' }),
  );
  return { communityId: community.id, ...(userIds !== undefined && { userIds }) };
}

/** How many members still wait for a check; of one member, whether they do. */
export async function getRoleCheckProgress(
  ctx: Context,
  { communityId, userId }: InCommunity & { userId?: string },
): Promise<RoleCheckProgress> {
  const community = await ownCommunity(ctx, communityId);
  const member = userId === undefined ? undefined : memberKey(community, userId);
  const { is_everyone, due, later } = await countTouched(ctx.db.system, community.id, ctx.clock(), member);
  return { isListing: is_everyone, waiting: due, postponed: later };
}

export async function listStops(ctx: Context, { communityId }: InCommunity): Promise<RoleStop[]> {
  const community = await ownCommunity(ctx, communityId);
  const stops = await listRoleStops(ctx, community.id);
  const names = stops.length === 0 ? undefined : await readNames(ctx, community, []);
  return stops.map(({ roleId, advice, since }) => ({
    ...(roleId !== undefined && { roleId, roleName: names?.roleName(roleId) }),
    advice,
    sinceTime: since.toISOString(),
  }));
}
