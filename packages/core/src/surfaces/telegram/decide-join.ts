import { addSeconds, type JobRun } from '@latchkey/kernel';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { changeRoles } from '../../gating/role-changes/index.ts';
import type { Context } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import { endJoinQuery, findJoinQuery, type JoinQueryRow, markPageShown } from '../telegram-gate/index.ts';
import { connectLink } from './connect-link.ts';
import { describeRefusal, evaluateJoinRequest, type JoinVerdict } from './evaluate-join-request.ts';
import { memberRole } from './member-role.ts';
import { sendMessage } from './send-message.ts';

export interface JoinRequest {
  communityId: string;
  userId: string;
  /** The chat in which the user can be contacted. */
  replyTo: string;
  /** The query by which Telegram asks about the request; absent for ordinary requests. */
  slug?: string | undefined;
  /** Comes back once the time on the page is up. A request that was queued meanwhile is already retried. */
  isPageOver?: boolean | undefined;
}

/** For so long a user may link wallets on the page before the request is decided. */
export const joinPageSeconds = 600;

/** Telegram waits ten seconds for the page or an answer; evaluation gets half of that. */
const firstLookMs = 5_000;

/**
 * Decides a join request. Users who qualify are admitted. Others see the page, if Telegram asked by a query, and are declined once its time
 * is up; without a page they are told what to do and declined. If that cannot be determined, it throws and the request stays open.
 */
export async function decideJoin(
  ctx: Context,
  request: JoinRequest,
  { signal, attempt }: Pick<JobRun, 'signal' | 'attempt'>,
): Promise<void> {
  const { userId, replyTo, slug, isPageOver } = request;
  const community = await selectCommunity(ctx.db.system, request.communityId);
  if (community?.status !== 'active' || ctx.telegram === undefined) return;
  const query = slug === undefined ? undefined : await findJoinQuery(ctx.db.system, slug);
  if (slug !== undefined && isSettled(ctx, query)) return;
  if (isPageOver === true && query?.outcome === 'queued') return;
  const t = messagesIn(ctx.locale);
  const isFirst = query?.outcome === null && query.page_at === null;
  const join = await (isFirst ? lookQuickly : evaluateJoinRequest)(ctx, community, userId, signal);
  if (join.truth === 'true') return answerJoinRequest(ctx, community, request, 'grant');
  if (join.truth === 'unruled') return leaveOpen(ctx, query, signal);
  if (join.truth === 'false') {
    if (isFirst && (await showPage(ctx, query, signal))) return;
    // While this was evaluated, another run may have opened the page or decided.
    if (slug !== undefined && isSettled(ctx, await findJoinQuery(ctx.db.system, slug))) return;
    // Sent first: Telegram lets the bot write to a stranger only while the request is open.
    const words = `${await describeRefusal(ctx, community, join)}\n${t('telegram.requestAgain')}`;
    await sendMessage(ctx, replyTo, words, await connectLink(ctx, userId), signal);
    return answerJoinRequest(ctx, community, request, 'revoke');
  }
  const isNews = query === undefined ? attempt === 1 : query.outcome === null;
  await leaveOpen(ctx, query, signal);
  if (isNews) await sendMessage(ctx, replyTo, t('telegram.requestOpen'), undefined, signal);
  throw new Error('The wallets of a user who requested to join cannot be read yet.');
}

/** Nothing is left to decide, or not yet. */
function isSettled({ clock }: Pick<Context, 'clock'>, query: JoinQueryRow | undefined): boolean {
  return query === undefined || isDecided(query) || isShown(query, clock());
}

function isDecided({ outcome }: JoinQueryRow): boolean {
  return outcome === 'approved' || outcome === 'declined';
}

/** Whether the user still has time on the page. */
function isShown({ outcome, page_at }: JoinQueryRow, now: Date): boolean {
  return outcome === null && page_at !== null && now < addSeconds(page_at, joinPageSeconds);
}

/** What takes too long is unknown for now. */
async function lookQuickly(
  ctx: Context,
  community: CommunityRow,
  userId: string,
  signal: AbortSignal,
): Promise<JoinVerdict> {
  const limit = AbortSignal.timeout(firstLookMs);
  try {
    return await evaluateJoinRequest(ctx, community, userId, AbortSignal.any([signal, limit]));
  } catch (error) {
    if (limit.aborted && !signal.aborted) return { truth: 'unknown' };
    throw error;
  }
}

/** Opens the page inside Telegram. False if it is too late for that: then it is an ordinary request. */
async function showPage(ctx: Context, { slug, query_id }: JoinQueryRow, signal: AbortSignal): Promise<boolean> {
  const isOpen = await ctx.telegram?.openJoinPage(query_id, `${ctx.settings.baseUrl}/telegram/join/${slug}`, signal);
  if (isOpen === true) await markPageShown(ctx.db.system, slug, ctx.clock());
  // Telegram takes one answer: perhaps another run of this job has opened the page.
  else if ((await findJoinQuery(ctx.db.system, slug))?.page_at == null)
    await endJoinQuery(ctx.db.system, slug, 'queued');
  return isOpen === true;
}

/** Leaves a request in the chat's list, where this bot and every administrator can still decide it. */
export async function leaveOpen(
  ctx: Pick<Context, 'db' | 'telegram'>,
  query: JoinQueryRow | undefined,
  signal?: AbortSignal,
): Promise<void> {
  if (query === undefined || query.outcome !== null) return;
  await ctx.telegram?.queueJoinRequest(query.query_id, signal);
  await endJoinQuery(ctx.db.system, query.slug, 'queued');
}

/** Approves or declines a join request. If Telegram rejects the call, it is evaluated again. */
export async function answerJoinRequest(
  ctx: Context,
  community: CommunityRow,
  { userId, slug }: Pick<JoinRequest, 'userId' | 'slug'>,
  action: 'grant' | 'revoke',
): Promise<void> {
  const member = { userId: userKey('telegram', userId), roleId: memberRole };
  const outcome = action === 'grant' ? 'approved' : 'declined';
  const { problem } = await changeRoles(ctx, community, {
    cause: 'join',
    changes: [{ ...member, action, reason: { joinRequest: outcome }, blocks: {} }],
    mayWait: false,
  });
  if (problem !== undefined) throw new Error(problem);
  if (slug !== undefined) await endJoinQuery(ctx.db.system, slug, outcome);
}
