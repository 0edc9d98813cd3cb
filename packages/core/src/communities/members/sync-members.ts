import type { Tx } from '@latchkey/db';
import {
  type MemberListEnd,
  type MemberPages,
  type MemberRoles,
  MemberUnreadable,
  PlatformFailed,
  type PlatformName,
  type RoleHost,
} from '../../ports/index.ts';
import { announce } from '../../services/live-updates/index.ts';
import type { Context } from '../../shared/context.ts';
import { nativeUserId, userKey } from '../../shared/qualified-ids.ts';
import { type CommunityRow, holdCommunity, selectCommunity } from '../community-records/index.ts';
import {
  type MemberRow,
  markActive,
  markLeft,
  putLeft,
  putMemberList,
  putMembers,
  selectCoHoldersIn,
  selectMemberList,
  selectMembers,
  selectUnseen,
} from '../memberships/index.ts';
import { enqueueReconcile } from '../reconcile-queue/index.ts';

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
  const end: MemberListEnd | undefined = await readPages(
    host.readMembers(community.community_id, signal),
    async (page) => {
      const seen = page.map((member) => ({ ...member, userId: userKey(community.platform, member.userId) }));
      await putMembers(ctx.db.system, community.id, seen, checkedAt);
      for (const { userId } of seen) listed.add(userId);
      checkedAt = ctx.clock();
    },
  );
  const { isComplete, reason = null, left = [] } = end ?? { isComplete: host.listsEveryone !== false };
  const leftHere = left.map((one) => ({ ...one, userId: userKey(community.platform, one.userId) }));
  // A member who came back while the list was read was seen later.
  await putLeft(ctx.db.system, community.id, leftHere, startedAt);
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
  if (member === undefined) {
    const roleIds = native === undefined ? [] : await host.readLeftRoles?.(community.community_id, native, signal);
    await markLeft(ctx.db.system, community.id, [userId], checkedAt);
    if (roleIds !== undefined) await putLeft(ctx.db.system, community.id, [{ userId, roleIds }], checkedAt);
  } else await putMembers(ctx.db.system, community.id, [{ ...member, userId }], checkedAt);
}

/** A connection that keeps breaking must not cause the members to be listed each time. */
const betweenListsMs = 10 * 60 * 1000;

/** A platform reports thousands of communities at once, so the checks are spread over this time. */
const spreadMs = 60 * 1000;

/**
 * Queues a check of every member of a community whose platform may have sent events while no process was listening:
 * joins and leaves in that time are in no event. Skips communities that are paused or not checked in the background.
 */
export async function catchUp(ctx: Pick<Context, 'clock' | 'db' | 'random'>, communityId: string): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community?.status !== 'active' || community.disable_background_checks) return;
  const list = await selectMemberList(ctx.db.system, communityId);
  // A community that was never listed is about to be.
  if (list === undefined) return;
  const [byte = 0] = ctx.random.bytes(1);
  const earliest = Math.max(ctx.clock().getTime(), list.listed_at.getTime() + betweenListsMs);
  const dueAt = new Date(earliest + (byte / 256) * spreadMs);
  await enqueueReconcile(ctx.db.system, { communityId, members: '*', cause: 'schedule', dueAt });
}

/** A platform event about one member. Ids are the platform's own. */
export type MemberNews =
  | {
      kind: 'joined' | 'updated';
      userName?: string;
      roleIds: readonly string[];
      isBot?: boolean;
      isPending?: boolean | undefined;
      /** The beginning of ids of roles that the event does not show: those seen before stay. */
      unseenPrefix?: string;
      /** When the member joined; absent if the platform does not say. */
      joinedAt?: Date | undefined;
    }
  /** `keepsRoles`: on this platform, leaving alone does not end the roles. */
  | { kind: 'left'; keepsRoles?: boolean | undefined }
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
 * `onRolesChanged` runs in the same transaction, so that a change is handled once even if the event arrives again. `ctx.clock`
 * returns when the event was received: it may be processed much later, and says nothing about what was seen in between.
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
    const tellsRoles = news.kind === 'joined' || news.kind === 'updated';
    const [before] = tellsRoles ? await selectMembers(tx, community.id, [member]) : [];
    switch (news.kind) {
      case 'left':
        await markLeft(tx, community.id, [member], now);
        break;
      case 'active':
        return markActive(tx, community.id, member, now);
      default:
        if (news.kind === 'updated' || !isSeenSince(before, news.joinedAt))
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
    if (news.kind === 'left' && news.keepsRoles)
      await enqueueReconcile(tx, { communityId: community.id, members: [member], cause: 'left' });
    if (members.length > 0) await enqueueReconcile(tx, { communityId: community.id, members, cause: 'joined' });
  });
}

/**
 * Whether a member was seen after they joined. What they had when they joined is older then, even if the platform sends that event
 * again after a lost connection.
 */
function isSeenSince(before: MemberRow | undefined, joinedAt: Date | undefined): boolean {
  return before !== undefined && before.left_at === null && joinedAt !== undefined && before.seen_at >= joinedAt;
}

/** The difference from the roles last seen; undefined if there is none, or if a later read is stored. */
function roleChange(before: MemberRow | undefined, roleIds: readonly string[], now: Date) {
  if (before === undefined || before.left_at !== null || before.seen_at > now) return undefined;
  const added = roleIds.filter((roleId) => !before.role_ids.includes(roleId));
  const removed = before.role_ids.filter((roleId) => !roleIds.includes(roleId));
  return added.length + removed.length === 0 ? undefined : { added, removed };
}
