import { choice, listOf, op, optional, type Page, pageOf, pageParams, shape, T } from '@latchkey/kernel';
import { communityAdmin, confirmedCommunityAdmin, ownCommunity } from '../../../communities/access/index.ts';
import { requireFeature } from '../../../communities/community-plans/index.ts';
import { countQueued, enqueueReconcile } from '../../../communities/reconcile-queue/index.ts';
import { communityParam } from '../../../shared/community-id.ts';
import type { Context } from '../../../shared/context.ts';
import type { PageRequest } from '../../../shared/paging.ts';
import { readApprovalPolicy } from '../../approval-policies/index.ts';
import { findRestorable, type RestorableRule } from '../../community-rules/index.ts';
import { toChangeSet, toItem, toUndoPreview } from '../api/answers.ts';
import { readNames, readUserNames } from '../api/names.ts';
import { changeSetId, memberKey, search, userId, userIds } from '../api/params.ts';
import {
  ChangeSet,
  ChangeSetDetails,
  changeSetStatuses,
  mostCausingRules,
  RoleBreaker,
  RoleCheckProgress,
  RoleCheckStarted,
  UndoPreview,
} from '../api/shapes.ts';
import { previewChangeSet } from '../planning/preview.ts';
import type { ChangeSetRow, ChangeSetStatus } from '../tables.ts';
import { selectApprovals } from './approvals.ts';
import {
  approveChangeSet,
  approveGrants,
  rejectAndRestore,
  rejectChangeSet,
  requireApproverPresence,
  retryChangeSet,
} from './decide.ts';
import { refreshHeld } from './held-now.ts';
import {
  getChangeSet,
  listBlockedRoles,
  listChangeSets,
  ownChangeSetOf,
  readOutcomes,
  summarizeChangeSet,
} from './reads.ts';
import { previewUndo, undoChangeSet } from './undo.ts';

const reads = communityAdmin('communityId', 'role-manager');
const decides = confirmedCommunityAdmin('communityId', 'role-manager');

const members = optional(shape(T.Object({ userIds }, { description: 'The members to check.' })));

const restoreRule = T.Optional(
  T.Boolean({
    description:
      'Whether to restore the rules whose change led to it to their version before. By default they are, if there is such a version and no rule was edited since.',
  }),
);

const decisionBody = optional(
  shape(
    T.Object(
      {
        changes: T.Optional(
          T.Integer({
            description:
              'How many changes you saw waiting. If that is no longer the number, nothing is decided, and the call fails with STATE_CONFLICT.',
            format: 'int32',
            minimum: 0,
            maximum: 2_147_483_647,
          }),
        ),
      },
      { description: 'What you decide about.' },
    ),
  ),
);

export const changeSetOperations = [
  op(
    'GET /latchkey/communities/{communityId}/change-sets',
    {
      id: 'listChangeSets',
      summary: 'List change sets',
      description:
        'Returns the role changes of a community, newest first: those waiting for approval, those being applied and those of the last 90 days. With status=held, those waiting for approval only. For community admins.',
      access: reads,
      params: {
        communityId: communityParam,
        status: T.Optional(choice('Only change sets of this status.', changeSetStatuses)),
        ...pageParams,
      },
      returns: pageOf(ChangeSet, 'ChangeSetPage'),
      paginated: 'token',
    },
    handleList,
  ),
  op(
    'POST /latchkey/communities/{communityId}/change-sets',
    {
      id: 'previewChangeSet',
      summary: 'Preview role changes',
      description:
        'Checks some members or all of them and returns a change set with what would change. No role is changed until you approve the change set; a preview is deleted after 7 days. Reads wallets and the platform while you wait, so prefer a few members in a large community.',
      access: decides,
      params: { communityId: communityParam },
      body: members,
      returns: ChangeSet,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    handlePreview,
  ),
  op(
    'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}',
    {
      id: 'getChangeSet',
      summary: 'Get a change set and its changes',
      description:
        'Returns a change set and a page of its changes: who gains which role, who loses it, why, and the status of each change. With search, only the matching changes are listed; totals are of all. Opening a held change set queues a check of its members, at most every 10 minutes, so that changes that are no longer needed leave it. For community admins.',
      access: reads,
      params: { communityId: communityParam, changeSetId, search, ...pageParams },
      returns: ChangeSetDetails,
      paginated: 'token',
    },
    handleGet,
  ),
  op(
    'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/approve',
    {
      id: 'approveChangeSet',
      summary: 'Approve a change set',
      description:
        'Approves a held or previewed change set. A worker applies it within the platform’s rate limits. If the approval policy wants two admins, the change set stays held until the second one approves it. If it removes a role from many members, the caller must have signed in within the last 10 minutes. Fails with STATE_CONFLICT if the change set was already approved or rejected, or if it changed since you saw it.',
      audit: 'change-set.approve',
      access: decides,
      params: { communityId: communityParam, changeSetId },
      body: decisionBody,
      returns: ChangeSet,
      errors: ['PRESENCE_REQUIRED', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    handleApprove,
  ),
  op(
    'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/reject',
    {
      id: 'rejectChangeSet',
      summary: 'Reject a change set',
      description:
        'Drops a held, previewed or failed change set. Members keep the roles that a held change set would have removed, until you start a check of them or change the rule. Fails with STATE_CONFLICT if the change set was already approved or rejected.',
      audit: 'change-set.reject',
      access: decides,
      params: { communityId: communityParam, changeSetId },
      returns: ChangeSet,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    handleReject,
  ),
  op(
    'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/approve-grants',
    {
      id: 'approveGrants',
      summary: 'Approve only the grants',
      description:
        'Approves the grants of a held or previewed change set and rejects its removals, which are dropped with the reason removal-rejected. Those members keep their roles, until you start a check of them or change the rule. If the approval policy wants two admins, the removals are rejected at once, and the grants wait for the second admin. Fails with STATE_CONFLICT if the change set gives no role, was already approved or rejected, or changed since you saw it.',
      audit: 'change-set.approve-grants',
      access: decides,
      params: { communityId: communityParam, changeSetId },
      body: decisionBody,
      returns: ChangeSet,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    handleApproveGrants,
  ),
  op(
    'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/reject-and-restore',
    {
      id: 'rejectAndRestore',
      summary: 'Reject and restore the rule',
      description:
        'Rejects a held change set that the change of a rule led to, and restores the rule to its version before that change, both or neither. Later edits of the rule are reverted too. Members are then checked against the restored rule. Fails with STATE_CONFLICT if no rule can be restored, or if the change set was already approved or rejected.',
      audit: 'change-set.reject-and-restore',
      access: decides,
      params: { communityId: communityParam, changeSetId },
      returns: ChangeSet,
      errors: ['PLAN_LIMIT_REACHED', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    handleRejectAndRestore,
  ),
  op(
    'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/retry',
    {
      id: 'retryChangeSet',
      summary: 'Retry a failed change set',
      description:
        'Retries the changes that failed, if the rules still require them. Fails with STATE_CONFLICT if the change set did not fail.',
      audit: 'change-set.retry',
      access: decides,
      params: { communityId: communityParam, changeSetId },
      returns: ChangeSet,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    handleRetry,
  ),
  op(
    'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}/undo',
    {
      id: 'previewUndo',
      summary: 'Preview an undo',
      description:
        'Returns what undoing a change set would do now, with totals and a page of its changes: what is changed back, what is skipped because a later change set changed the same role of the same member, which members qualify now, and which rules are restored. Nothing is changed. Fails with STATE_CONFLICT if the change set cannot be undone. For community admins.',
      access: reads,
      params: { communityId: communityParam, changeSetId, restoreRule, ...pageParams },
      returns: UndoPreview,
      paginated: 'token',
      errors: ['STATE_CONFLICT'],
    },
    handlePreviewUndo,
  ),
  op(
    'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/undo',
    {
      id: 'undoChangeSet',
      summary: 'Undo a change set',
      description:
        'Cancels the rest of a change set, gives back the roles it removed and removes the roles it gave, except where a later change set changed the same role of the same member. If a rule change led to it, the rule is restored to the version before in the same step, unless restoreRule is false or the rule was edited since. Returns the new change set that does so. Later checks skip those members until you start a check of them or change the rule; roles of a restored rule are checked as usual. If the approval policy holds changes like these, the new change set is held: an admin must approve it, and rejecting it takes the undo back. Admins who caused it by changing a rule within the last hour can undo it at once, unless the policy wants two admins. If it removes a role from many members, the caller must have signed in within the last 10 minutes. Fails with STATE_CONFLICT if the change set was never approved, changed no role or is already undone.',
      audit: 'change-set.undo',
      access: decides,
      params: { communityId: communityParam, changeSetId },
      body: optional(shape(T.Object({ restoreRule }, { description: 'What to undo besides the role changes.' }))),
      returns: ChangeSet,
      errors: ['PLAN_LIMIT_REACHED', 'PRESENCE_REQUIRED', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    handleUndo,
  ),
  op(
    'POST /latchkey/communities/{communityId}/role-checks',
    {
      id: 'startRoleCheck',
      summary: 'Start a role check',
      description:
        'Starts a background check of some or all members and applies the changes. Also ends pauses that an undo or rejection left for these members. Starting it again before it runs does not add a second check.',
      audit: 'roles.check',
      access: decides,
      params: { communityId: communityParam },
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
        'Returns how many members of a community are still waiting for a check, and how many will be re-checked because something could not be read. With userId, returns the same for one member. For community admins.',
      access: reads,
      params: { communityId: communityParam, userId: T.Optional(userId) },
      returns: RoleCheckProgress,
    },
    getRoleCheckProgress,
  ),
  op(
    'GET /latchkey/communities/{communityId}/blocked-roles',
    {
      id: 'listBlockedRoles',
      summary: 'List blocked roles',
      description:
        'Returns what prevents the community’s roles from being changed until someone fixes it on the platform, for example a role above the bot’s own. For community admins.',
      access: reads,
      params: { communityId: communityParam },
      returns: listOf(RoleBreaker),
    },
    listBreakers,
  ),
] as const;

interface InCommunity {
  communityId: string;
}
interface OfChangeSet extends InCommunity {
  changeSetId: string;
}
interface WithMembers extends InCommunity {
  body: { userIds?: string[] } | undefined;
}

export async function handleList(
  ctx: Context,
  { communityId, ...request }: InCommunity & PageRequest & { status?: ChangeSetStatus },
): Promise<Page<ChangeSet>> {
  const community = await ownCommunity(ctx, communityId);
  const page = await listChangeSets(ctx, community.id, request);
  const deciders = page.items.map(({ decided_by }) => decided_by);
  const isNoted = page.items.some(({ note }) => note !== null);
  const names = await (isNoted ? readNames : readUserNames)(ctx, community, deciders);
  const outcomeOf = await readOutcomes(ctx, page.items);
  return { ...page, items: page.items.map((changeSet) => toChangeSet(changeSet, outcomeOf(changeSet), names)) };
}

export async function handleGet(
  ctx: Context,
  { communityId, changeSetId, ...request }: OfChangeSet & PageRequest & { search?: string },
): Promise<ChangeSetDetails> {
  const { community } = await ownChangeSetOf(ctx, communityId, changeSetId);
  const { changeSet, items } = await getChangeSet(ctx, changeSetId, request);
  await refreshHeld(ctx, changeSet);
  const approvals = await selectApprovals(ctx.db.system, changeSetId);
  const names = await readNames(ctx, community, [
    changeSet.decided_by,
    ...approvals.map(({ approver }) => approver),
    ...items.items.map((item) => item.user_id),
  ]);
  const shares = await summarizeChangeSet(ctx, changeSetId);
  const { approvers } = await readApprovalPolicy(ctx, ctx.db.system, community.id);
  const outcomeOf = await readOutcomes(ctx, [changeSet]);
  const ruleChangeIds = changeSet.rule_change_ids.slice(0, mostCausingRules);
  const rules = await findRestorable(ctx.db.system, community.id, ruleChangeIds);
  return {
    ...items,
    changeSet: toChangeSet(changeSet, outcomeOf(changeSet), names),
    approvers,
    approvals: approvals.map(({ approver, approved_at }) => ({
      userId: approver,
      userName: names.userName(approver),
      time: approved_at.toISOString(),
    })),
    rules: rules.map(({ ruleId, before, roleIds, laterChangeId }) => ({
      ruleId,
      ruleName: names.ruleName(ruleId) ?? nameIn(before),
      canRestore: before !== null && shares.some(({ roleId }) => roleIds.includes(roleId)),
      ...(laterChangeId !== undefined && { laterRuleChangeId: laterChangeId }),
    })),
    shares: shares.map((share) => ({ ...share, roleName: names.roleName(share.roleId) })),
    items: items.items.map((item) => toItem(item, names)),
  };
}

/** A rule that was deleted is known by its version before. */
function nameIn(version: RestorableRule['before']): string | undefined {
  const name = version?.definition.name;
  return typeof name === 'string' ? name : undefined;
}

export async function handlePreview(ctx: Context, { communityId, body }: WithMembers): Promise<ChangeSet> {
  const community = await ownCommunity(ctx, communityId);
  const members = body?.userIds?.map((id) => memberKey(community, id)) ?? '*';
  return withOutcome(ctx, await previewChangeSet(ctx, community.id, members), await readUserNames(ctx, community, []));
}

type Decision = OfChangeSet & { body?: { changes?: number } | undefined };

export async function handleApprove(ctx: Context, { body, ...named }: Decision): Promise<ChangeSet> {
  const { community } = await ownChangeSetOf(ctx, named.communityId, named.changeSetId);
  await requireApproverPresence(ctx, community, named.changeSetId);
  await approveChangeSet(ctx, named.changeSetId, { seen: body?.changes });
  return showChangeSet(ctx, named);
}

export async function handleReject(ctx: Context, named: OfChangeSet): Promise<ChangeSet> {
  await ownChangeSetOf(ctx, named.communityId, named.changeSetId);
  await rejectChangeSet(ctx, named.changeSetId);
  return showChangeSet(ctx, named);
}

export async function handleApproveGrants(ctx: Context, { body, ...named }: Decision): Promise<ChangeSet> {
  await ownChangeSetOf(ctx, named.communityId, named.changeSetId);
  await approveGrants(ctx, named.changeSetId, { seen: body?.changes });
  return showChangeSet(ctx, named);
}

export async function handleRejectAndRestore(ctx: Context, named: OfChangeSet): Promise<ChangeSet> {
  await ownChangeSetOf(ctx, named.communityId, named.changeSetId);
  await rejectAndRestore(ctx, named.changeSetId);
  return showChangeSet(ctx, named);
}

export async function handleRetry(ctx: Context, named: OfChangeSet): Promise<ChangeSet> {
  await ownChangeSetOf(ctx, named.communityId, named.changeSetId);
  await retryChangeSet(ctx, named.changeSetId);
  return showChangeSet(ctx, named);
}

export async function handlePreviewUndo(
  ctx: Context,
  { communityId, changeSetId, ...request }: OfChangeSet & PageRequest & { restoreRule?: boolean },
): Promise<UndoPreview> {
  const { community } = await ownChangeSetOf(ctx, communityId, changeSetId);
  const undo = await previewUndo(ctx, changeSetId, request);
  const names = await readNames(
    ctx,
    community,
    undo.items.items.map(({ user_id }) => user_id),
  );
  return toUndoPreview(changeSetId, undo, names);
}

/** Returns the change set that undoes the other one. */
export async function handleUndo(
  ctx: Context,
  { communityId, changeSetId, body }: OfChangeSet & { body?: { restoreRule?: boolean } | undefined },
): Promise<ChangeSet> {
  await ownChangeSetOf(ctx, communityId, changeSetId);
  const undo = await undoChangeSet(ctx, changeSetId, { restoreRule: body?.restoreRule, presence: 'signed-in' });
  return showChangeSet(ctx, { communityId, changeSetId: undo.id });
}

async function showChangeSet(ctx: Context, { communityId, changeSetId }: OfChangeSet): Promise<ChangeSet> {
  const { changeSet, community } = await ownChangeSetOf(ctx, communityId, changeSetId);
  const names = await (changeSet.note === null ? readUserNames : readNames)(ctx, community, [changeSet.decided_by]);
  return withOutcome(ctx, changeSet, names);
}

async function withOutcome(
  ctx: Context,
  changeSet: ChangeSetRow,
  names: Parameters<typeof toChangeSet>[2],
): Promise<ChangeSet> {
  return toChangeSet(changeSet, (await readOutcomes(ctx, [changeSet]))(changeSet), names);
}

export async function startRoleCheck(ctx: Context, { communityId, body }: WithMembers): Promise<RoleCheckStarted> {
  const community = await ownCommunity(ctx, communityId);
  await requireFeature(ctx, community.id, 'ON_DEMAND_BALANCE_CHECK');
  const userIds = body?.userIds?.map((id) => memberKey(community, id));
  await ctx.db.transaction('system', (tx) =>
    enqueueReconcile(tx, { communityId: community.id, members: userIds ?? '*', cause: 'requested' }),
  );
  return { communityId: community.id, ...(userIds !== undefined && { userIds }) };
}

/** Returns how many members are still waiting for a check; for one member, whether they are. */
export async function getRoleCheckProgress(
  ctx: Context,
  { communityId, userId }: InCommunity & { userId?: string },
): Promise<RoleCheckProgress> {
  const community = await ownCommunity(ctx, communityId);
  const member = userId === undefined ? undefined : memberKey(community, userId);
  const { is_everyone, due, later } = await countQueued(ctx.db.system, community.id, ctx.clock(), member);
  return { isListing: is_everyone, waiting: due, postponed: later };
}

export async function listBreakers(ctx: Context, { communityId }: InCommunity): Promise<RoleBreaker[]> {
  const community = await ownCommunity(ctx, communityId);
  const breakers = await listBlockedRoles(ctx, community.id);
  const names = breakers.length === 0 ? undefined : await readNames(ctx, community, []);
  return breakers.map(({ roleId, advice, since }) => ({
    ...(roleId !== undefined && { roleId, roleName: names?.roleName(roleId) }),
    advice,
    sinceTime: since.toISOString(),
  }));
}
