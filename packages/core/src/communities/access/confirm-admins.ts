import type { Tx } from '@latchkey/db';
import { addSeconds, principalId } from '@latchkey/kernel';
import { PlatformFailed, type PlatformName } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import { nativeUserId, operatorId, userKey } from '../../shared/qualified-ids.ts';
import {
  type CommunityRow,
  listCommunities,
  lockCommunity,
  selectCommunitiesOfMember,
  selectCommunity,
  updateCommunity,
} from '../community-records/index.ts';
import { hasLeft } from '../memberships/index.ts';
import {
  type AdminRow,
  administeredBy,
  askAgainSeconds,
  deleteAdmin,
  deleteAdminsWithoutSponsor,
  putAdmin,
  selectAdmins,
  setUpAdmin,
} from './admin-queries.ts';

export interface Place {
  platform: PlatformName;
  /** The platform's own id. */
  communityId: string;
}

/** Whether a user manages a community on the platform: yes, no, or unknown. */
export type AdminStatus = { kind: 'yes' } | { kind: 'no' } | { kind: 'unknown'; cause?: PlatformFailed };

/**
 * Asks the platform whether a user, given by qualified id, manages a community there. A failure is neither yes nor no.
 */
export async function askAdminStatus(
  { hosts }: Pick<Context, 'hosts'>,
  { platform, communityId }: Place,
  userId: string,
  signal?: AbortSignal,
): Promise<AdminStatus> {
  const nativeId = nativeUserId(platform, userId);
  if (nativeId === undefined) return { kind: 'no' };
  const host = hosts[platform];
  if (host?.administers === undefined) return { kind: 'unknown' };
  try {
    return { kind: (await host.administers(communityId, nativeId, signal)) ? 'yes' : 'no' };
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    return { kind: 'unknown', cause: error };
  }
}

export type ConfirmContext = Pick<Context, 'clock' | 'db' | 'hosts' | 'log'>;

const retrySeconds = 60 * 60;
/** Another confirmation within this time is not stored again. */
const repeatSeconds = 60 * 60;
const checksAtOnce = 4;

/** `named`: the platform never confirmed them, and another admin or the operator added them. */
type Answer = 'yes' | 'no' | 'named' | 'unknown';

/**
 * Checks the admins of a community with the platform, all of them or some, and removes those who no longer manage it
 * there, together with the admins they added. If the platform does not respond, nothing changes.
 */
export async function confirmAdmins(
  ctx: ConfirmContext,
  communityId: string,
  options: { only?: readonly string[]; signal?: AbortSignal } = {},
): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined) return;
  const admins = (await selectAdmins(ctx.db.system, community.id)).filter(
    ({ user_id }) => options.only?.includes(user_id) ?? true,
  );
  const answers = await inParallel(admins, checksAtOnce, async (admin) => ({
    admin,
    answer: await checkAdmin(ctx, community, admin, options.signal),
  }));
  const news = answers.filter((one) => isNews(ctx, one));
  if (news.length === 0) return;
  const hasLosses = news.some(({ answer }) => answer === 'no');
  const heir = hasLosses ? await findPlatformOwner(ctx, community, options.signal) : undefined;
  await ctx.db.transaction('system', (tx) => keepAnswers(ctx, tx, community.id, news, heir));
}

interface Answered {
  admin: AdminRow;
  answer: Answer;
}

function isNews({ clock }: ConfirmContext, { admin: { confirmed_at, ask_at }, answer }: Answered): boolean {
  const nowMs = clock().getTime();
  if (answer === 'no' || ask_at.getTime() <= nowMs) return true;
  return answer === 'yes' && (confirmed_at?.getTime() ?? 0) + repeatSeconds * 1000 <= nowMs;
}

async function checkAdmin(
  ctx: ConfirmContext,
  { id, platform, community_id }: CommunityRow,
  admin: AdminRow,
  signal?: AbortSignal,
): Promise<Answer> {
  const place = { platform, communityId: community_id };
  const { kind } = await askAdminStatus(ctx, place, admin.user_id, signal);
  if (kind !== 'no') return kind;
  if (admin.confirmed_at === null && admin.named_by !== null) {
    if (admin.named_by === operatorId) return 'named';
    return (await hasLeft(ctx.db.system, id, admin.user_id)) ? 'no' : 'named';
  }
  // Platforms sometimes show a member without any role by mistake, so it takes two reads to remove an admin.
  return (await askAdminStatus(ctx, place, admin.user_id, signal)).kind;
}

async function findPlatformOwner(
  { hosts }: ConfirmContext,
  { platform, community_id }: CommunityRow,
  signal?: AbortSignal,
): Promise<string | undefined> {
  try {
    const owner = await hosts[platform]?.findOwner?.(community_id, signal);
    return owner && userKey(platform, owner);
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    return undefined;
  }
}

async function keepAnswers(
  ctx: ConfirmContext,
  tx: Tx,
  communityId: string,
  answers: readonly Answered[],
  platformOwner: string | undefined,
): Promise<void> {
  const community = await lockCommunity(tx, communityId);
  if (community === undefined) return;
  const now = ctx.clock();
  const later = (seconds: number) => addSeconds(now, seconds);
  const gone: string[] = [];
  for (const { admin, answer } of answers) {
    if (answer === 'no') {
      if (await deleteAdmin(tx, admin)) gone.push(admin.user_id);
      continue;
    }
    await setUpAdmin(tx, admin, {
      ask_at: later(answer === 'unknown' ? retrySeconds : askAgainSeconds),
      ...(answer === 'yes' && { confirmed_at: now }),
    });
  }
  gone.push(...(await deleteAdminsWithoutSponsor(tx, communityId)));
  if (gone.length === 0) return;
  ctx.log.info('Some admins can no longer manage their community on the platform.', {
    communityId,
    admins: gone.length,
  });
  if (gone.includes(community.owner_id)) await passOn(tx, community, platformOwner, now);
}

/**
 * Transfers a community whose owner no longer manages it: to the owner on the platform, otherwise to the
 * longest-serving confirmed admin, otherwise to the operator.
 */
async function passOn(tx: Tx, { id }: CommunityRow, platformOwner: string | undefined, now: Date): Promise<void> {
  if (platformOwner !== undefined) {
    await putAdmin(tx, id, platformOwner, { confirmedAt: now }, now);
    return updateCommunity(tx, id, { owner_id: platformOwner }, now);
  }
  const confirmed = (await selectAdmins(tx, id)).find(({ confirmed_at }) => confirmed_at !== null);
  await updateCommunity(tx, id, { owner_id: confirmed?.user_id ?? operatorId }, now);
}

/** Each one costs bot API calls, which all communities share. */
const mostAsked = 20;
const requestsAtOnce = 4;

/**
 * Checks with the platform which of the caller's communities the caller manages there. The caller becomes an admin of
 * those it confirms, and the owner of those without an owner.
 */
export async function reloadAdministered(ctx: ConfirmContext & Pick<Context, 'actor'>): Promise<void> {
  if (ctx.actor.kind !== 'user') return;
  const userId = principalId(ctx.actor);
  const { system } = ctx.db;
  const administered = await listCommunities(system, { filter: administeredBy(userId), limit: mostAsked });
  const joined = await selectCommunitiesOfMember(system, userId, mostAsked);
  const known = new Set(administered.map(({ id }) => id));
  const others = joined.filter(({ id, platform }) => !known.has(id) && nativeUserId(platform, userId) !== undefined);
  await inParallel(administered, requestsAtOnce, ({ id }) => confirmAdmins(ctx, id, { only: [userId] }));
  await inParallel(others.slice(0, mostAsked - administered.length), requestsAtOnce, (community) =>
    admitIfAdmin(ctx, community, userId),
  );
}

async function admitIfAdmin(ctx: ConfirmContext, community: CommunityRow, userId: string): Promise<void> {
  const place = { platform: community.platform, communityId: community.community_id };
  if ((await askAdminStatus(ctx, place, userId)).kind !== 'yes') return;
  await ctx.db.transaction('system', async (tx) => {
    const row = await lockCommunity(tx, community.id);
    if (row === undefined) return;
    const now = ctx.clock();
    const admins = await selectAdmins(tx, row.id);
    await putAdmin(tx, row.id, userId, { confirmedAt: now }, now);
    // In communities that belong to the operator, the operator is one of the admins.
    const isUnowned = row.owner_id === operatorId && !admins.some(({ user_id }) => user_id === operatorId);
    if (isUnowned) await updateCommunity(tx, row.id, { owner_id: userId }, now);
  });
}
