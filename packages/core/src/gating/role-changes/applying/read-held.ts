import type { CommunityRow } from '../../../communities/community-records/index.ts';
import { PlatformFailed, type RoleHost } from '../../../ports/index.ts';
import type { Context } from '../../../shared/context.ts';

/** What a member has on the platform before a write; `hasLeft`: in spite of having left the community. */
type Held =
  | { roleIds: readonly string[]; seenAt?: Date; isPending?: boolean; hasLeft?: boolean }
  | { gone: true }
  | { failure: { reason: string; retryAfterSeconds?: number } };

/** Reads the roles that a member has right now. */
export async function readHeld(
  ctx: Pick<Context, 'clock'>,
  { community, host, signal }: { community: CommunityRow; host: RoleHost; signal: AbortSignal },
  userId: string,
): Promise<Held> {
  const seenAt = ctx.clock();
  try {
    const member = await host.readMember(community.community_id, userId, signal);
    if (member === undefined) {
      const roleIds = (await host.readLeftRoles?.(community.community_id, userId, signal)) ?? [];
      return roleIds.length === 0 ? { gone: true } : { roleIds, hasLeft: true };
    }
    return { roleIds: member.roleIds, seenAt, ...(member.isPending && { isPending: true }) };
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    const { message: reason, retryAfterSeconds } = error;
    return { failure: { reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) } };
  }
}
