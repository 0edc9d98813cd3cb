import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { recordArrival } from '../../gating/role-changes/index.ts';
import type { Context } from '../../shared/context.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import { hasUsableInvite, moveInvite, selectUsable } from './queries.ts';

type ArrivalContext = Pick<Context, 'clock' | 'db' | 'random'>;

/**
 * Records the roles with which the holder of an invite arrived, before anything else is done about the member: to the next
 * check they are roles that we gave. A member without them came in another way, so the invite is revoked.
 */
export async function noteArrival(
  ctx: ArrivalContext,
  guildId: string,
  { userId, roleIds }: { userId: string; roleIds: readonly string[] },
): Promise<void> {
  const { system } = ctx.db;
  const [communityId, member] = [communityKey('discord', guildId), userKey('discord', userId)];
  // Nearly all events are about members without an invite.
  if (!(await hasUsableInvite(system, communityId, member))) return;
  const community = await selectCommunity(system, communityId);
  if (community !== undefined) await settleArrival(ctx, community, member, roleIds);
}

/** The same for a member whose roles were read from Discord. */
export async function settleArrival(
  ctx: ArrivalContext,
  community: CommunityRow,
  userId: string,
  roleIds: readonly string[],
): Promise<void> {
  const now = ctx.clock();
  await ctx.db.transaction('system', async (tx) => {
    const open = await selectUsable(tx, community.id, userId);
    for (const invite of open) {
      const grants = invite.grants.filter(({ roleId }) => roleIds.includes(roleId));
      if (grants.length === 0) {
        // Discord may report the roles right after the member.
        await moveInvite(tx, invite.id, ['live'], { due_at: now });
        continue;
      }
      const ended = { state: 'used', ended_at: now, due_at: null, code: null, code_hash: null } as const;
      if (!(await moveInvite(tx, invite.id, ['live', 'revoking'], ended))) continue;
      await recordArrival(ctx, tx, community, { userId, grants });
      // What the rules say may have changed since.
      await enqueueReconcile(tx, { communityId: community.id, members: [userId], cause: 'joined' });
      return;
    }
  });
}
