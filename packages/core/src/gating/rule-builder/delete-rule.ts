import { choice, notFound, op, pageParams, record, T, text, type ValueOf } from '@latchkey/kernel';
import { confirmedCommunityAdmin, ownCommunity } from '../../communities/access/index.ts';
import { type MemberRow, selectPresent } from '../../communities/memberships/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { type RoleChoice, removeRuleWithChoice, roleChoices, roleGivenBy } from '../community-rules/index.ts';
import {
  findHeldRoles,
  type ReconciledMember,
  type RoleChange,
  reconcileAsIf,
  syncMembersNow,
} from '../role-changes/index.ts';
import { rolesOf } from './words.ts';

const ruleId = text('The id of the rule.', { minLength: 1, maxLength: 700 });
const roles = choice(
  'keep: members keep the role. take: members who got the role from Latchkey lose it, unless another rule, a guest pass or a composition grants it.',
  roleChoices,
);
const count = (description: string) => T.Number({ description, minimum: 0 });

const keepReasons = ['other-rule', 'guest-pass', 'composition', 'not-granted', 'protected', 'choice'] as const;
type KeepReason = (typeof keepReasons)[number];

const DeletionTotals = record('RuleDeletionTotals', 'What deleting a rule does to the members who have its role.', {
  holders: count('How many members who have the role were checked: all, or the first 10,000.'),
  isWhole: T.Boolean({ description: 'Whether every member who has the role was checked.' }),
  loses: count('How many members lose the role.'),
  keeps: count('How many members keep the role.'),
  unknown: count('How many members keep the role for now because something could not be read.'),
  notGranted: count(
    'Of those who keep the role, how many did not get it from Latchkey but from an admin or another bot.',
  ),
  isHeld: T.Boolean({ description: 'Whether the removals would wait for an admin’s approval.' }),
});

const RuleDeletionPreview = record(
  'RuleDeletionPreview',
  'Who keeps and who loses the role if a rule is deleted. Nothing was changed.',
  {
    ruleId: text('The rule that would be deleted.'),
    roleId: text('The role that it gives.'),
    roleName: T.Optional(text('The role’s current name; absent if the platform does not provide it.')),
    roles,
    totals: T.Optional(DeletionTotals),
    items: T.Array(
      record('RuleDeletionItem', 'A member who has the role.', {
        userId: text('The qualified id of the member.'),
        userName: T.Optional(text('The member’s display name on the platform; absent if unknown.')),
        outcome: choice('What would happen.', ['loses', 'keeps', 'unknown'] as const),
        keepReason: T.Optional(
          choice(
            'Why the member keeps the role. not-granted: Latchkey did not give it. protected: the platform does not let the bot change this member. choice: because of `roles=keep`.',
            keepReasons,
          ),
        ),
      }),
      { description: 'The members of this page, by id.', maxItems: 100 },
    ),
    paginationToken: T.Optional(text('Send this to get the next page; absent on the last one.')),
  },
);
type RuleDeletionPreview = ValueOf<typeof RuleDeletionPreview>;

const DeletedRule = record('DeletedRule', 'A rule that was deleted.', {
  id: text('The id that the rule had.'),
  roles,
  ruleChangeId: text('The entry in the rule’s history. The `ruleChangeIds` of the change sets that follow contain it.'),
});
type DeletedRule = ValueOf<typeof DeletedRule>;

export const ruleDeletionOperations = [
  op(
    'GET /latchkey/communities/{communityId}/rules/{ruleId}/deletion',
    {
      id: 'previewRuleDeletion',
      summary: 'Preview deleting a rule',
      description:
        'Checks the members who have a rule’s role as if the rule were deleted, and returns who would keep the role, why, and who would lose it. The first page has the totals. Reads wallets and the platform while you wait; nothing is changed. For community admins.',
      access: confirmedCommunityAdmin('communityId', 'role-manager'),
      params: { communityId: communityParam, ruleId, roles, ...pageParams },
      returns: RuleDeletionPreview,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
      paginated: 'token',
    },
    previewRuleDeletion,
  ),
  op(
    'DELETE /latchkey/communities/{communityId}/rules/{ruleId}',
    {
      id: 'deleteCommunityRule',
      summary: 'Delete a rule with its roles',
      description:
        'Deletes a rule. With `roles=keep`, members keep its role; fails with STATE_CONFLICT if another rule gives the same role, because that rule then decides. With `roles=take`, members who got the role from Latchkey lose it, unless another rule, a guest pass or a composition grants it. The removals become a change set; large ones need approval. Undoing it restores the rule. For community admins.',
      audit: 'rule.delete',
      auditedFields: ['roles'],
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId: communityParam, ruleId, roles },
      returns: DeletedRule,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
    },
    deleteCommunityRule,
  ),
] as const;

interface Deletion {
  communityId: string;
  ruleId: string;
  roles: RoleChoice;
}

/**
 * Deletes a rule. The role changes become a change set of the next check, which is held if it removes the role from
 * many members.
 */
export async function deleteCommunityRule(
  ctx: Pick<Context, 'actor' | 'clock' | 'random' | 'tx'>,
  { communityId, ruleId, roles }: Deletion,
): Promise<DeletedRule> {
  return { id: ruleId, roles, ruleChangeId: await removeRuleWithChoice(ctx, { id: communityId, ruleId, roles }) };
}

const mostHolders = 10_000;
const batchMembers = 2_500;

/** Returns who would keep and who would lose the role of a rule, page by page, without changing anything. */
export async function previewRuleDeletion(
  ctx: Context,
  { communityId, ruleId, roles, ...request }: Deletion & PageRequest,
): Promise<RuleDeletionPreview> {
  const community = await ownCommunity(ctx, communityId);
  const saved = await selectRules(ctx.db.system, community.id);
  const rule = saved.find(({ id }) => id === ruleId);
  if (rule === undefined) throw notFound('rule');
  const roleId = roleGivenBy(rule);
  const drafted = {
    rules: saved.filter((row) => row !== rule),
    retiredRoleIds: roles === 'take' ? [roleId] : [],
  };
  const isFirst = request.paginationToken === undefined;
  if (isFirst) await syncMembersNow(ctx, community);
  const holdersAfter = (after: string, limit: number) => selectHolders(ctx, community.id, roleId, after, limit);
  const predict = async (rows: readonly MemberRow[]) => {
    const ids = rows.map(({ user_id }) => user_id);
    const members = await reconcileAsIf(ctx, community, drafted, ids);
    return members
      .filter((member) => member.roleIds.includes(roleId))
      .map((member) => outcomeOf(member, roleId, roles));
  };
  const page = await paginate(ctx, request, {
    list: `rule-deletion:${community.id}:${ruleId}:${roles}`,
    read: (after, limit) => holdersAfter(after?.[0] ?? '', limit),
    cursorOf: ({ user_id }) => [user_id],
  });
  const platformRoles = await rolesOf(ctx, community);
  const base = { ruleId, roleId, roleName: platformRoles?.get(roleId)?.name, roles };
  if (!isFirst) return { ...base, ...page, items: await predict(page.items) };
  const holders = await holdersAfter('', mostHolders + 1);
  const all = await predict(holders.slice(0, mostHolders));
  const shown = new Set(page.items.map(({ user_id }) => user_id));
  const of = (outcome: PreviewItem['outcome']) => all.filter((one) => one.outcome === outcome);
  const losing = of('loses').map(({ userId }): RoleChange => {
    return { userId, roleId, action: 'revoke', reason: {}, blocks: {} };
  });
  const held = await ctx.db.transaction('system', (tx) => findHeldRoles(ctx, tx, community.id, losing));
  return {
    ...base,
    totals: {
      holders: all.length,
      isWhole: holders.length <= mostHolders,
      loses: losing.length,
      keeps: of('keeps').length,
      unknown: of('unknown').length,
      notGranted: all.filter(({ keepReason }) => keepReason === 'not-granted').length,
      isHeld: held.size > 0,
    },
    ...page,
    items: all.filter(({ userId }) => shown.has(userId)),
  };
}

/** Members who have a role, in id order. */
async function selectHolders(
  ctx: Pick<Context, 'db'>,
  communityId: string,
  roleId: string,
  from: string,
  limit: number,
): Promise<MemberRow[]> {
  const found: MemberRow[] = [];
  for (let after = from; ; ) {
    const batch = await selectPresent(ctx.db.system, communityId, after, batchMembers);
    found.push(...batch.filter(({ role_ids }) => role_ids.includes(roleId)));
    after = batch.at(-1)?.user_id ?? '';
    if (batch.length < batchMembers || found.length >= limit) return found.slice(0, limit);
  }
}

type PreviewItem = RuleDeletionPreview['items'][number];

function outcomeOf({ row, verdicts }: ReconciledMember, roleId: string, roles: RoleChoice): PreviewItem {
  const member = { userId: row.user_id, userName: row.user_name ?? undefined };
  const keeps = (keepReason: KeepReason): PreviewItem => ({ ...member, outcome: 'keeps', keepReason });
  const verdict = verdicts.find((one) => one.roleId === roleId);
  if (verdict === undefined) return keeps(roles === 'keep' ? 'choice' : 'not-granted');
  const { truth, reason } = verdict;
  if (truth === 'unknown') return { ...member, outcome: 'unknown' };
  // The platform does not let bots remove roles from protected members.
  if (truth === 'false') return row.is_protected === true ? keeps('protected') : { ...member, outcome: 'loses' };
  if (reason.isGuest) return keeps('guest-pass');
  return keeps(reason.rules.some((rule) => rule.truth === 'true') ? 'other-rule' : 'composition');
}
