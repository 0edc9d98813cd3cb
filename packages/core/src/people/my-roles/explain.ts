import { AppError, chatHomeOf, notFound, principalId } from '@latchkey/kernel';
import { isShownToMember, readNames } from '../../communities/bot-answers/index.ts';
import { type CommunityRow, selectCommunity } from '../../communities/communities/index.ts';
import { selectMembers } from '../../communities/members/index.ts';
import { type Context, contextFor } from '../../context.ts';
import { conditionsOf, type RoleVerdict, reasonInWords } from '../../gating/judging/index.ts';
import { type LookedMember, lookNow, pausedRolesOf } from '../../gating/role-plans/index.ts';
import type { MyRoles } from './my-roles.ts';

type Role = MyRoles['roles'][number];

/** Which roles the caller has and could have in a community, by which conditions. Reads wallets and the platform now. */
export async function getMyRoles(ctx: Context, { communityId }: { communityId: string }): Promise<MyRoles> {
  const { community, userId } = await ownMembership(ctx, communityId);
  // Rules are their admins' to read; what they say of the caller is the caller's.
  const system = contextFor(ctx, { kind: 'system', job: 'my-roles' });
  const [member] = (await lookNow(system, community, [userId], { liftPauses: true })).members;
  if (member === undefined) throw notFound('membership; you are not in this community');
  const [names, paused] = await Promise.all([
    readNames(system, community, [userId], { asks: true }),
    pausedRolesOf(ctx.db.system, community.id, userId),
  ]);
  const shown = member.verdicts.filter((verdict) => isShownToMember(member, verdict, names));
  const roles = shown.map((verdict) => describeRole(member, verdict));
  const conditions = roles.flatMap(({ ways }) => ways.flatMap((way) => way.conditions));
  const link = chatHomeOf(community.platform, community.community_id);
  return {
    communityId: community.id,
    communityName: community.name,
    platform: community.platform,
    ...(link !== undefined && { link }),
    wallets: member.wallets.length,
    conditions: conditions.length,
    conditionsMet: conditions.filter(({ state }) => state === 'met').length,
    roles,
  };

  function describeRole({ roleIds }: LookedMember, { roleId, truth, reason }: RoleVerdict): Role {
    const has = roleIds.includes(roleId);
    return {
      roleId,
      name: names.role(roleId),
      has,
      state: stateOf(truth, has),
      isPaused: paused.has(roleId),
      words: reasonInWords(reason, names, 'self'),
      ways: conditionsOf(reason, names),
    };
  }
}

function stateOf(truth: RoleVerdict['truth'], has: boolean): Role['state'] {
  if (truth === 'unknown') return has ? 'kept' : 'unknown';
  if (truth === 'true') return has ? 'kept' : 'coming';
  return has ? 'going' : 'missing';
}

/** The community, if the caller is in it. To everyone else there is none. */
export async function ownMembership(
  ctx: Pick<Context, 'actor' | 'db'>,
  communityId: string,
): Promise<{ community: CommunityRow; userId: string }> {
  const userId = principalId(ctx.actor);
  const [member] = await selectMembers(ctx.db.system, communityId, [userId]);
  const community = member?.left_at === null ? await selectCommunity(ctx.db.system, communityId) : undefined;
  if (community === undefined) throw notFound('community');
  if (community.status !== 'active')
    throw new AppError('STATE_CONFLICT', `Roles of ${community.name} are not managed at the moment.`);
  return { community, userId };
}
