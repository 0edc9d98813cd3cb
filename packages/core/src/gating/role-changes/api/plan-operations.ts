import { choice, listOf, op, optional, type Page, pageOf, pageParams, shape, T } from '@latchkey/kernel';
import { communityAdmin, communityRuler, requireFeature } from '../../../communities/community/index.ts';
import { countTouched, touch } from '../../../communities/reconcile-queue/index.ts';
import type { Context } from '../../../shared/context.ts';
import type { PageRequest } from '../../../shared/paging.ts';
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
import { communityId, memberKey, planId, userId, userIds } from './params.ts';
import { planStatuses, RoleCheckProgress, RoleCheckStarted, RolePlan, RolePlanDetails, RoleStop } from './shapes.ts';

const reads = communityAdmin('communityId', 'role-manager');
const decides = communityRuler('communityId', 'role-manager');

const members = optional(shape(T.Object({ userIds }, { description: 'Whom it is about.' })));

export const rolePlanOperations = [
  op(
    'GET /latchkey/communities/{communityId}/role-plans',
    {
      id: 'listRolePlans',
      summary: 'List role plans',
      description:
        'Returns the role changes of a community, newest first: those waiting for approval, those being written and those of the last 90 days. With status=held, those waiting for approval only. For community admins.',
      access: reads,
      params: { communityId, status: T.Optional(choice('Only plans of this status.', planStatuses)), ...pageParams },
      returns: pageOf(RolePlan, 'RolePlanPage'),
      paginated: 'token',
    },
    listPlans,
  ),
  op(
    'POST /latchkey/communities/{communityId}/role-plans',
    {
      id: 'previewRolePlan',
      summary: 'Preview role changes',
      description:
        'Checks some members or all of them and returns a plan with what would change. No role is changed until you approve the plan; a preview is deleted after 7 days. Reads wallets and the platform while you wait, so prefer a few members in a large community.',
      facts: {
        needsNoKey: 'Asks chains and the chat platform; a preview too many is forgotten after a week.',
        senderDecides: 'userIds',
      },
      access: decides,
      params: { communityId },
      body: members,
      returns: RolePlan,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    previewPlan,
  ),
  op(
    'GET /latchkey/communities/{communityId}/role-plans/{planId}',
    {
      id: 'getRolePlan',
      summary: 'Get a role plan with its changes',
      description:
        'Returns a plan and a page of its changes: who gains which role, who loses it, why, and how far each change is. For community admins.',
      access: reads,
      params: { communityId, planId, ...pageParams },
      returns: RolePlanDetails,
      paginated: 'token',
    },
    getPlan,
  ),
  op(
    'POST /latchkey/communities/{communityId}/role-plans/{planId}/approve',
    {
      id: 'approveRolePlan',
      summary: 'Approve a role plan',
      description:
        'Lets a held or previewed plan be written. A worker writes it within the limits of the platform. Fails with STATE_CONFLICT if the plan was already decided.',
      audit: 'plan.approve',
      facts: { needsNoKey: 'A plan is decided once.' },
      access: decides,
      params: { communityId, planId },
      returns: RolePlan,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    approvePlan,
  ),
  op(
    'POST /latchkey/communities/{communityId}/role-plans/{planId}/reject',
    {
      id: 'rejectRolePlan',
      summary: 'Reject a role plan',
      description:
        'Drops a held, previewed or failed plan. Members keep the roles that a held plan would have taken, until you start a check of them or change the rule. Fails with STATE_CONFLICT if the plan was already decided.',
      audit: 'plan.reject',
      facts: { needsNoKey: 'A plan is decided once.' },
      access: decides,
      params: { communityId, planId },
      returns: RolePlan,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    rejectPlan,
  ),
  op(
    'POST /latchkey/communities/{communityId}/role-plans/{planId}/retry',
    {
      id: 'retryRolePlan',
      summary: 'Retry a failed role plan',
      description:
        'Tries what a failed plan could not change once more, as far as the rules still ask for it. Fails with STATE_CONFLICT if the plan did not fail.',
      audit: 'plan.retry',
      facts: { needsNoKey: 'Only a failed plan can be retried.' },
      access: decides,
      params: { communityId, planId },
      returns: RolePlan,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    retryPlan,
  ),
  op(
    'POST /latchkey/communities/{communityId}/role-plans/{planId}/undo',
    {
      id: 'undoRolePlan',
      summary: 'Undo a role plan',
      description:
        'Stops what is left of a plan, gives back what it took and takes what it gave. Returns the new plan that does so. Later checks leave those members alone until you start a check of them or change the rule. Fails with STATE_CONFLICT if the plan was never approved or is already undone.',
      audit: 'plan.undo',
      facts: { needsNoKey: 'A plan is undone once.' },
      access: decides,
      params: { communityId, planId },
      returns: RolePlan,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    undoPlan,
  ),
  op(
    'POST /latchkey/communities/{communityId}/role-checks',
    {
      id: 'startRoleCheck',
      summary: 'Start a role check',
      description:
        'Has a worker check some members or all of them and write what must change. Also ends the pauses that an undo or a rejection left for the members named. Started again before it has run, it stays one check.',
      audit: 'roles.check',
      facts: { needsNoKey: 'Asked again, it stays one check.', senderDecides: 'userIds' },
      access: decides,
      params: { communityId },
      body: members,
      returns: RoleCheckStarted,
      errors: ['PLAN_LIMIT_REACHED', 'UNAVAILABLE'],
    },
    startRoleCheck,
  ),
  op(
    'GET /latchkey/communities/{communityId}/role-checks',
    {
      id: 'getRoleCheckProgress',
      summary: 'Get the progress of role checks',
      description:
        'Returns how many members of a community still wait for a check, and how many are checked again later because something could not be read. With userId, the same of one member. For community admins.',
      facts: { idsOfNobody: { userId: 'Looked for among the checks of the community that admits the caller.' } },
      access: reads,
      params: { communityId, userId: T.Optional(userId) },
      returns: RoleCheckProgress,
    },
    getRoleCheckProgress,
  ),
  op(
    'GET /latchkey/communities/{communityId}/role-stops',
    {
      id: 'listRoleStops',
      summary: 'List blocked roles',
      description:
        'Returns what keeps roles of the community from being written until somebody changes it on the platform, for example a role above the bot’s own. For community admins.',
      access: reads,
      params: { communityId },
      returns: listOf(RoleStop),
    },
    listStops,
  ),
] as const;

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
