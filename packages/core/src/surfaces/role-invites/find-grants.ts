import type { CommunityRow } from '../../communities/community-records/index.ts';
import { readApprovalPolicy } from '../../gating/approval-policies/index.ts';
import { evaluateMember, gatingSettings, isByPassAlone, type RoleVerdict } from '../../gating/evaluation/index.ts';
import { suppressedRolesOf } from '../../gating/role-changes/index.ts';
import type { Context } from '../../shared/context.ts';
import type { InviteGrant, InviteRow } from './queries.ts';

/**
 * Which roles an invite may give: those that the verdicts grant, unless an admin has to approve them, undid them for this
 * person, or the bot cannot or must not give them.
 */
export async function findGrants(
  ctx: Pick<Context, 'db' | 'hosts' | 'settings'>,
  community: CommunityRow,
  userId: string,
  verdicts: readonly RoleVerdict[],
): Promise<InviteGrant[]> {
  const { system } = ctx.db;
  const suppressed = await suppressedRolesOf(system, community.id, userId);
  const { needsApprovalToGrant } = await readApprovalPolicy(ctx, system, community.id);
  const wanted = verdicts.filter(
    ({ roleId, truth, reason }) =>
      truth === 'true' && !isByPassAlone(reason) && !suppressed.has(roleId) && !needsApprovalToGrant(roleId),
  );
  if (wanted.length === 0) return [];
  const roleIds = wanted.map(({ roleId }) => roleId);
  const faults = await ctx.hosts.discord?.findFaults?.(community.community_id, roleIds);
  if (faults === undefined) return [];
  const isFaulty = (roleId: string) => faults.some((fault) => fault.roleId === undefined || fault.roleId === roleId);
  return wanted
    .filter(({ roleId }) => !isFaulty(roleId))
    .map(({ roleId, reason, blocks }) => ({ roleId, reason, blocks }));
}

type LostContext = Parameters<typeof evaluateMember>[0] & Pick<Context, 'settings'>;

/**
 * Whether the holder of an invite no longer qualifies for one of its roles. Like a removal, this is only certain after a
 * second, fresh read on which several endpoints agree. Unknown is not a reason to revoke it.
 */
export async function hasLostARole(
  ctx: LostContext,
  community: CommunityRow,
  { user_id: userId, grants }: InviteRow & { user_id: string },
): Promise<boolean> {
  const suppressed = await suppressedRolesOf(ctx.db.system, community.id, userId);
  if (grants.some(({ roleId }) => suppressed.has(roleId))) return true;
  // No verdict means that no rule gives the role any more.
  const isLost = (verdicts: readonly RoleVerdict[]) =>
    grants.some(({ roleId }) => (verdicts.find((one) => one.roleId === roleId)?.truth ?? 'false') === 'false');
  if (!isLost(await evaluateMember(ctx, community, userId, {}))) return false;
  const { removalQuorum: quorum } = gatingSettings(ctx);
  return isLost(await evaluateMember(ctx, community, userId, { from: 'chain', quorum }));
}
