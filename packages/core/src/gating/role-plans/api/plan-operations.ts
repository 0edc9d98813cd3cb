import { choice, listOf, op, optional, pageOf, pageParams, shape, T } from '@latchkey/kernel';
import { communityAdmin, communityRuler } from '../../../communities/communities/index.ts';
import { communityId, planId, userId, userIds } from './params.ts';
import {
  approvePlan,
  getPlan,
  getRoleCheckProgress,
  listPlans,
  listStops,
  previewPlan,
  rejectPlan,
  retryPlan,
  startRoleCheck,
  undoPlan,
} from './plan-verbs.ts';
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
