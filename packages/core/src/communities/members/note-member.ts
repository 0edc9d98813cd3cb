import type { Tx } from '@latchkey/db';
import type { PlatformName } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import { type CommunityRow, holdCommunity, selectCommunity } from '../community-records/index.ts';
import {
  type MemberRow,
  markActive,
  markLeft,
  putMembers,
  selectCoHoldersIn,
  selectMembers,
} from '../memberships/index.ts';
import { enqueueReconcile } from '../reconcile-queue/index.ts';

/** A platform event about one member. Ids are the platform's own. */
export type MemberNews =
  | {
      kind: 'joined' | 'updated';
      userName?: string;
      roleIds: readonly string[];
      isBot?: boolean;
      isPending?: boolean | undefined;
    }
  | { kind: 'left' }
  | { kind: 'active' };

/** A member whose roles differ from those last seen. */
export interface RolesChanged {
  community: CommunityRow;
  /** The qualified id. */
  userId: string;
  added: readonly string[];
  removed: readonly string[];
}

/**
 * Stores what a platform event says about a member. A member who joined, or accepted the server's rules, is checked at once,
 * and so are members who linked the same wallet as a member who joined or left. Events of unknown communities are ignored.
 * `onRolesChanged` runs in the same transaction, so that a change is handled once even if the event arrives again.
 */
export async function noteMember(
  ctx: Pick<Context, 'clock' | 'db'>,
  platform: PlatformName,
  communityId: string,
  userId: string,
  news: MemberNews,
  onRolesChanged?: (tx: Tx, change: RolesChanged) => Promise<void>,
): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined || community.platform !== platform) return;
  const member = userKey(platform, userId);
  const now = ctx.clock();
  await ctx.db.transaction('system', async (tx) => {
    await holdCommunity(tx, community.id);
    const [before] = news.kind === 'updated' ? await selectMembers(tx, community.id, [member]) : [];
    switch (news.kind) {
      case 'left':
        await markLeft(tx, community.id, [member], now);
        break;
      case 'active':
        return markActive(tx, community.id, member, now);
      default:
        await putMembers(tx, community.id, [{ ...news, userId: member }], now);
    }
    if (news.kind === 'updated' && before?.is_pending && !news.isPending && !news.isBot)
      await enqueueReconcile(tx, { communityId: community.id, members: [member], cause: 'joined' });
    const change = news.kind === 'updated' && !news.isBot ? roleChange(before, news.roleIds, now) : undefined;
    if (change !== undefined) await onRolesChanged?.(tx, { community, userId: member, ...change });
    if (news.kind === 'updated' || (news.kind === 'joined' && news.isBot)) return;
    // A wallet counts for one member, so another member who linked the same one gains or loses it here.
    const others = await selectCoHoldersIn(tx, community.id, member);
    const members = news.kind === 'joined' ? [member, ...others] : others;
    if (members.length > 0) await enqueueReconcile(tx, { communityId: community.id, members, cause: 'joined' });
  });
}

/** The difference from the roles last seen; undefined if there is none, or if a later read is stored. */
function roleChange(before: MemberRow | undefined, roleIds: readonly string[], now: Date) {
  if (before === undefined || before.left_at !== null || before.seen_at > now) return undefined;
  const added = roleIds.filter((roleId) => !before.role_ids.includes(roleId));
  const removed = before.role_ids.filter((roleId) => !roleIds.includes(roleId));
  return added.length + removed.length === 0 ? undefined : { added, removed };
}
