import { exponentialRetry, job } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { auditOf, recordAudit } from '../../services/audit/index.ts';
import { announce } from '../../services/live-updates/index.ts';
import type { Context } from '../../shared/context.ts';
import { notifyAdminsSoon } from '../../shared/find-notices.ts';
import { markRevoked, revokeMisusedJob, revokesMisused, selectWays } from './bypasses.ts';

/**
 * Revokes a one-time invitation that another person used. If the process dies after Telegram did so, the next run asks again: Telegram
 * answers the same for a revoked link, and the audit entry is written once.
 */
export async function revokeMisused(
  ctx: Context,
  { communityId, wayId }: { communityId: string; wayId: string },
): Promise<void> {
  const { db, telegram } = ctx;
  const community = await selectCommunity(db.system, communityId);
  if (community?.status !== 'active' || telegram === undefined) return;
  const [way] = await selectWays(db.system, communityId, { limit: 1, wayId });
  if (way === undefined || way.link === null || way.revoked_at !== null) return;
  // Switched off meanwhile.
  if (!(await revokesMisused(db.system, communityId))) return;
  try {
    await telegram.revokeInvite(community.community_id, way.link);
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    // The notice to admins keeps saying that the link is open.
    ctx.log.warn('The bot cannot revoke a misused invitation.', { communityId, reason: error.message });
    return;
  }
  await db.transaction('system', async (tx) => {
    if (!(await markRevoked(tx, { communityId, wayId, now: ctx.clock(), byBot: true }))) return;
    const reason = 'Another person used a one-time invitation of the bot.';
    await recordAudit(tx, auditOf(ctx, 'community.invite-revoke', { communityId, target: wayId, reason }));
    await announce(tx, { changed: 'setup', community: communityId });
    await notifyAdminsSoon(tx);
  });
}

export const gateJobs = [
  job(
    revokeMisusedJob.name,
    { payload: revokeMisusedJob.payload, retry: exponentialRetry(14, 5, 7200), maxRunningPerGroup: 1 },
    revokeMisused,
  ),
] as const;
