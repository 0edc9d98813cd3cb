import { AppError, notFound, principalId, record, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { notConfigured } from '../../platform-setup.ts';
import { findModerated, linkSubreddit, platformError } from '../reddit/index.ts';
import { selectGrant, takeGrant } from './queries.ts';

export const LinkedSubreddit = record('LinkedSubreddit', 'A subreddit that is linked now.', {
  communityId: text('The id of the community.'),
  name: text('The name of the subreddit.'),
});
export type LinkedSubreddit = ValueOf<typeof LinkedSubreddit>;

/** Links a subreddit with what the caller allowed on Reddit, which is used up by it. */
export async function linkConsentedSubreddit(
  ctx: Context,
  { body: { name } }: { body: { name: string } },
): Promise<LinkedSubreddit> {
  const { reddit } = ctx;
  if (reddit === undefined) throw notConfigured('reddit');
  const userId = principalId(ctx.actor);
  const row = await selectGrant(ctx.db.system, userId, ctx.clock());
  if (row === undefined) throw noConsent();
  const token = ctx.keyring.openText(row.place, row.refresh_token);
  const identity = await reddit.identify(token).catch(platformError);
  if (identity === undefined) throw noConsent();
  const subreddit = findModerated(identity, name);
  if (subreddit === undefined) throw isNoModerator(identity.userName);
  const { id } = await linkSubreddit(ctx, reddit, { identity, subreddit, token }, async (tx) => {
    if (!(await takeGrant(tx, row, userId))) throw noConsent();
  });
  return { communityId: id, name: subreddit.name };
}

function noConsent(): AppError {
  return notFound('permission of yours on Reddit that is not used yet');
}

function isNoModerator(userName: string): AppError {
  const message = `must be a subreddit that u/${userName} moderates`;
  return new AppError('VALIDATION_FAILED', `The body at /name ${message}.`, {
    details: [{ path: '/name', code: 'moderator', message }],
  });
}
