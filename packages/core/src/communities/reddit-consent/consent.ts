import { principalId, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { communityKey } from '../communities/index.ts';
import { platformError, selectLinked } from '../reddit/index.ts';
import { discardGrants, selectGrant } from './queries.ts';

/** How long somebody may take to choose the subreddit. */
export const consentTtlSeconds = 60 * 60;

const ModeratedSubreddit = record('ModeratedSubreddit', 'A subreddit that the Reddit account moderates.', {
  name: text('The name of the subreddit.'),
  isLinked: T.Boolean({ description: 'Whether it is linked here already.' }),
});

const WaitingConsent = record('WaitingConsent', 'A permission of a moderator that no subreddit uses yet.', {
  userName: text('The account on Reddit that gave it.'),
  expiresTime: text('When it is revoked if it is not used, in ISO 8601.'),
  subreddits: T.Array(ModeratedSubreddit, { description: 'What the account moderates.', maxItems: 100 }),
});

export const RedditConsentState = record('RedditConsentState', 'What you allowed on Reddit to link a subreddit.', {
  isOffered: T.Boolean({ description: 'Whether this server has an application on Reddit.' }),
  consent: T.Optional(WaitingConsent),
});
export type RedditConsentState = ValueOf<typeof RedditConsentState>;

type ReadContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'reddit'>;

/** What the caller allowed and did not use yet, with the subreddits to choose from. */
export async function getRedditConsent(ctx: ReadContext): Promise<RedditConsentState> {
  const { reddit } = ctx;
  if (reddit === undefined) return { isOffered: false };
  const userId = principalId(ctx.actor);
  const row = await selectGrant(ctx.db.system, userId, ctx.clock());
  if (row === undefined) return { isOffered: true };
  const identity = await reddit.identify(ctx.keyring.openText(row.place, row.refresh_token)).catch(platformError);
  if (identity === undefined) {
    // Taken back on Reddit.
    await discardGrants(ctx.db.system, userId);
    return { isOffered: true };
  }
  const named = identity.moderates.slice(0, 100).map(({ name }) => ({ name, id: communityKey('reddit', name) }));
  const linked = await selectLinked(
    ctx.db.system,
    named.map(({ id }) => id),
  );
  return {
    isOffered: true,
    consent: {
      userName: identity.userName,
      expiresTime: row.due_at.toISOString(),
      subreddits: named.map(({ name, id }) => ({ name, isLinked: linked.has(id) })),
    },
  };
}

export function grantPlace(id: string): string {
  return `reddit_grants.refresh_token:${id}`;
}
