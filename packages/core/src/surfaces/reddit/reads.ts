import { notFound, principalId, record, T, text, type ValueOf } from '@latchkey/kernel';
import { communitiesOfAdmin } from '../../communities/community/index.ts';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { createConnectLink } from '../../linking/connect-links/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { deleteToken, selectLinked, selectToken } from './queries.ts';

/** Returns the subreddits that the caller administers, and whether each is linked. */
export async function getAdminCommunities(ctx: Context): Promise<Record<string, unknown>[]> {
  const subreddits = await communitiesOfAdmin(ctx, principalId(ctx.actor), 'reddit');
  const linked = await selectLinked(
    ctx.db.system,
    subreddits.map(({ id = '' }) => id),
  );
  return subreddits.map(({ id, communityId, name, iconURL }) => ({
    id,
    communityId,
    name,
    iconURL,
    isLinked: id !== undefined && linked.has(id),
  }));
}

/** Checks whether the stored token still works. */
export async function isCommunityConfigSet(
  ctx: Context,
  { communityId }: { communityId: string },
): Promise<CheckCommunityConfigResponse> {
  const community = await getSubreddit(ctx, communityId);
  const about = { subredditId: community.id, subredditName: community.community_id };
  const token = await findRefreshToken(ctx, community.community_id);
  if (token === undefined)
    return { ...about, botTokenStatus: 'missing', message: 'Link the subreddit with POST /reddit/community.' };
  if (ctx.reddit === undefined)
    return { ...about, botTokenStatus: 'unknown', message: 'Reddit is not configured on this server.' };
  try {
    const identity = await ctx.reddit.identify(token);
    const isModerator = identity?.moderates.some(
      ({ name }) => name.toLowerCase() === community.community_id.toLowerCase(),
    );
    if (isModerator) return { ...about, botTokenStatus: 'valid', message: 'Everything is in place.', errors: [] };
    const why = identity === undefined ? 'Reddit rejected the token' : 'The account is no longer a moderator';
    return {
      ...about,
      botTokenStatus: 'invalid',
      message: `${why}. Link the subreddit again.`,
      errors: [['INVALID_TOKEN', `${why}.`, 'botToken']],
    };
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    return { ...about, botTokenStatus: 'unknown', message: error.message };
  }
}

/** Deletes the token of a subreddit. Flair and approvals stay unchanged. */
export async function unlinkToken(ctx: Context, { communityId }: { communityId: string }): Promise<void> {
  const community = await getSubreddit(ctx, communityId);
  const hadToken = await ctx.tx((tx) => deleteToken(tx, community.id));
  if (!hadToken) throw notFound('token');
}

/** Creates a short link that lets its reader link wallets to the caller's account for 15 minutes. */
export async function createWalletConnectionSession(ctx: Context): Promise<Record<string, unknown>> {
  const { actor } = ctx;
  const userId = principalId(actor);
  const platform = actor.kind === 'user' ? actor.platform : 'collabland';
  const name = actor.kind === 'user' ? actor.name : undefined;
  // The caller must not obtain a passkey of the account, which would outlive their permission.
  const link = await createConnectLink(ctx, { userId, platform, name }, { withPasskeys: false });
  return { ...link };
}

/** The permanent token of a subreddit, for the adapter that writes its roles. */
export async function findRefreshToken(
  ctx: Pick<Context, 'db' | 'keyring'>,
  subreddit: string,
): Promise<string | undefined> {
  return (await findLinkedAccount(ctx, subreddit))?.token;
}

/** The account that is linked to a subreddit, with its permanent token. */
export async function findLinkedAccount(
  ctx: Pick<Context, 'db' | 'keyring'>,
  subreddit: string,
): Promise<{ token: string; userName: string } | undefined> {
  const community = await selectCommunity(ctx.db.system, subreddit);
  if (community?.platform !== 'reddit') return undefined;
  const row = await selectToken(ctx.db.system, community.id);
  if (row === undefined) return undefined;
  return { token: ctx.keyring.openText(tokenPlace(row.community_id), row.refresh_token), userName: row.reddit_user };
}

async function getSubreddit(ctx: Context, communityId: string) {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community?.platform !== 'reddit') throw notFound('community');
  return community;
}

/** What a caller sends to link a subreddit; additional fields from clients are ignored. */
export interface RedditConfig {
  communityName: string;
  botToken: string;
}

export const RedditConfigResponse = record('RedditConfigResponse', 'A subreddit that is linked now.', {
  clientId: T.Optional(text('The client id of the Reddit application.')),
  communityName: T.Optional(text('The name of the subreddit.')),
});

export type RedditConfigResponse = ValueOf<typeof RedditConfigResponse>;

export const CheckCommunityConfigResponse = record(
  'CheckCommunityConfigResponse',
  'Whether the platform can manage a subreddit.',
  {
    subredditId: T.Optional(text('The qualified id of the community.')),
    subredditName: T.Optional(text('The name of the subreddit.')),
    botTokenStatus: T.Optional(text('valid, invalid, missing or unknown.')),
    message: T.Optional(text('What to do next.')),
    errors: T.Optional(
      T.Array(T.Array(T.String({ maxLength: 1024 }), { maxItems: 10 }), {
        description: 'What is wrong: a code, words, and the field it is about.',
        maxItems: 20,
      }),
    ),
  },
);

export type CheckCommunityConfigResponse = ValueOf<typeof CheckCommunityConfigResponse>;

export function tokenPlace(communityId: string): string {
  return `reddit_tokens.refresh_token:${communityId}`;
}
