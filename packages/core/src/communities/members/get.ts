import { notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { selectCounted } from '../../people/wallets/index.ts';
import { getCommunity, nativeUserId, readPlatformRoles, toUserKey } from '../communities/index.ts';
import { selectGrantsOf } from '../guest-passes/index.ts';
import { seesEveryAddress } from './list.ts';
import type { MemberProfile } from './member.ts';
import { namedRoles } from './named-roles.ts';
import { selectMembers } from './queries.ts';

const mostPasses = 100;

/** What is known of one member, who may have left. */
export async function getMember(
  ctx: Context,
  { communityId, userId }: { communityId: string; userId: string },
): Promise<MemberProfile> {
  const community = await ctx.tx((tx) => getCommunity(tx, communityId));
  const db = ctx.db.system;
  const wanted = toUserKey(community.platform, userId);
  const [member] = await selectMembers(db, community.id, [wanted]);
  if (member === undefined) throw notFound('member');
  const [roles, wallets, grants] = await Promise.all([
    readPlatformRoles(ctx, community),
    selectCounted(db, community.id, wanted),
    selectGrantsOf(db, community.id, wanted, mostPasses),
  ]);
  const showsAddresses = seesEveryAddress(ctx.actor) || principalId(ctx.actor) === wanted;
  const now = ctx.clock();
  return {
    userId: wanted,
    platformUserId: nativeUserId(community.platform, wanted) ?? wanted,
    userName: member.user_name ?? undefined,
    roles: namedRoles(member.role_ids, roles),
    isBot: member.is_bot,
    isProtected: member.is_protected === true,
    leftTime: member.left_at?.toISOString(),
    seenTime: member.seen_at.toISOString(),
    lastActiveTime: member.last_active_at?.toISOString(),
    checkedTime: member.checked_at?.toISOString(),
    wallets: wallets.map(({ namespace, address, shown_address, connected_at }) => ({
      namespace,
      connectedTime: connected_at.toISOString(),
      ...(showsAddresses && { address: shown_address ?? address }),
    })),
    guestPasses: grants
      .filter(({ ended_at, ends_at }) => ended_at === null && ends_at > now)
      .map(({ name, ends_at }) => ({ name, endsTime: ends_at.toISOString() })),
  };
}
