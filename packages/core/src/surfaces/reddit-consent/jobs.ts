import { addSeconds, job, type Schedule, shape, T } from '@latchkey/kernel';
import { PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { claimDueGrants, deleteGrant, type RedditGrantRow } from './queries.ts';

const atOnce = 50;
const retrySeconds = 60 * 60;
/** A token that could not be revoked within two weeks is deleted. */
const mostTries = 14 * 24;

type RevokeContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'log' | 'reddit'>;

/** Revokes authorizations at Reddit that no subreddit uses any more. Failures are retried an hour later. */
export async function revokeUnused(ctx: RevokeContext, signal?: AbortSignal): Promise<void> {
  if (ctx.reddit === undefined) return;
  const now = ctx.clock();
  const due = await claimDueGrants(ctx.db.system, now, addSeconds(now, retrySeconds), atOnce);
  for (const row of due) if (await isOver(ctx, row, signal)) await deleteGrant(ctx.db.system, row);
}

async function isOver(ctx: RevokeContext, row: RedditGrantRow, signal?: AbortSignal): Promise<boolean> {
  try {
    await ctx.reddit?.consent.revoke(ctx.keyring.openText(row.place, row.refresh_token), signal);
    return true;
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    const isGivenUp = row.tries >= mostTries;
    ctx.log.warn(
      isGivenUp
        ? 'Could not revoke a Reddit authorization; it was deleted here. The moderator can remove it on Reddit.'
        : 'Could not revoke a Reddit authorization. Retrying in an hour.',
      { reason: error.message },
    );
    return isGivenUp;
  }
}

const revoke = job(
  'reddit-consent.revoke-unused',
  { payload: shape(T.Record(T.String(), T.Never())), timeoutSeconds: 600 },
  (ctx: Context, _payload, { signal }) => revokeUnused(ctx, signal),
);

export const redditConsentJobs = [revoke] as const;

export const redditConsentSchedules: readonly Schedule[] = [{ name: revoke.name, cron: '* * * * *', job: revoke }];
