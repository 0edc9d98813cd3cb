import {
  type MemberListEnd,
  type MemberPages,
  type MemberRoles,
  MemberUnreadable,
  PlatformFailed,
  type RoleHost,
} from '../../ports/index.ts';
import { announce } from '../../services/live-updates/index.ts';
import type { Context } from '../../shared/context.ts';
import { nativeUserId, userKey } from '../../shared/qualified-ids.ts';
import type { CommunityRow } from '../community-records/index.ts';
import { markLeft, putMemberList, putMembers, selectUnseen } from '../memberships/index.ts';

type SyncContext = Pick<Context, 'clock' | 'db'>;
type Where = Pick<CommunityRow, 'id' | 'platform' | 'community_id'>;

const readsAtOnce = 8;
/**
 * If a platform does not list every member, at most this many are looked up by id per run; the others follow in later
 * runs.
 */
const mostByName = 1_000;

/**
 * Stores every member the platform lists. Members missing from the list are looked up one by one, so that a short list
 * never counts anyone as gone. Throws `PlatformFailed`.
 */
export async function syncMembers(
  ctx: SyncContext,
  host: RoleHost,
  community: Where,
  signal?: AbortSignal,
): Promise<void> {
  const startedAt = ctx.clock();
  const listed = new Set<string>();
  let checkedAt = startedAt;
  const end = await readPages(host.readMembers(community.community_id, signal), async (page) => {
    const seen = page.map((member) => ({ ...member, userId: userKey(community.platform, member.userId) }));
    await putMembers(ctx.db.system, community.id, seen, checkedAt);
    for (const { userId } of seen) listed.add(userId);
    checkedAt = ctx.clock();
  });
  const { isComplete, reason = null } = end ?? { isComplete: host.listsEveryone !== false };
  const ended = { listed_at: startedAt, listed: listed.size, is_complete: isComplete, reason };
  await putMemberList(ctx.db.system, { community_id: community.id, ...ended });
  await announce(ctx.db.system, { changed: 'members', community: community.id });
  if (!isComplete) return lookForUnlisted(ctx, host, community, startedAt, signal);
  const unseen = await selectUnseen(ctx.db.system, community.id, startedAt);
  await refreshMembers(ctx, host, community, unseen, signal);
}

/** Processes one page after the other, and returns what the host reports at the end of the list. */
async function readPages(
  pages: MemberPages,
  take: (page: readonly MemberRoles[]) => Promise<void>,
): Promise<MemberListEnd | undefined> {
  const iterator = pages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done) return value ?? undefined;
      await take(value);
    }
  } finally {
    await iterator.return?.();
  }
}

/**
 * Looks up members that no list shows, the longest unseen first, as far as the platform's limits allow. Members that are not
 * reached stay as last seen: a member about to change is looked up again anyway.
 */
async function lookForUnlisted(
  ctx: SyncContext,
  host: RoleHost,
  community: Where,
  before: Date,
  signal?: AbortSignal,
): Promise<void> {
  const unseen = await selectUnseen(ctx.db.system, community.id, before, mostByName);
  try {
    await refreshMembers(ctx, host, community, unseen, signal);
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind !== 'unavailable') throw error;
  }
}

/**
 * Reads some members again, one by one. Those whose entries are malformed stay as last seen, and are returned. Throws
 * `PlatformFailed`.
 */
export async function refreshMembers(
  ctx: SyncContext,
  host: RoleHost,
  community: Where,
  userIds: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const unreadable = new Set<string>();
  for (let from = 0; from < userIds.length; from += readsAtOnce) {
    const part = userIds.slice(from, from + readsAtOnce);
    const reads = await Promise.allSettled(part.map((userId) => refreshMember(ctx, host, community, userId, signal)));
    for (const [place, read] of reads.entries()) {
      if (read.status !== 'rejected') continue;
      if (!(read.reason instanceof MemberUnreadable)) throw read.reason;
      unreadable.add(part[place] ?? '');
    }
  }
  return unreadable;
}

async function refreshMember(
  ctx: SyncContext,
  host: RoleHost,
  community: Where,
  userId: string,
  signal?: AbortSignal,
): Promise<void> {
  const native = nativeUserId(community.platform, userId);
  const checkedAt = ctx.clock();
  const member = native === undefined ? undefined : await host.readMember(community.community_id, native, signal);
  if (member === undefined) await markLeft(ctx.db.system, community.id, [userId], checkedAt);
  else await putMembers(ctx.db.system, community.id, [{ ...member, userId }], checkedAt);
}
