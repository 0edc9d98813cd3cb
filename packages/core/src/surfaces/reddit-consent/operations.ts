import {
  type AppError,
  addSeconds,
  notFound,
  op,
  principalId,
  record,
  shape,
  T,
  text,
  thePerson,
  type ValueOf,
} from '@latchkey/kernel';
import {
  attemptTtlSeconds,
  beginAttempt,
  exchangeCode,
  LinkAttempt,
  returnedFrom,
  takeAttempt,
} from '../../identity/link-attempts/index.ts';
import { returnAddress } from '../../identity/platform-logins/index.ts';
import type { PlatformName } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { notConfigured } from '../../shared/platform-setup.ts';
import { communityKey } from '../../shared/qualified-ids.ts';
import { refuse } from '../../shared/refuse.ts';
import { findModerated, linkSubreddit, platformError, selectLinked } from '../reddit/index.ts';
import { discardGrants, putGrant, selectGrant, takeGrant } from './queries.ts';

/** How long a user may take to choose the subreddit. */
const consentTtlSeconds = 60 * 60;

const ModeratedSubreddit = record('ModeratedSubreddit', 'A subreddit that the Reddit account moderates.', {
  name: text('The name of the subreddit.'),
  isLinked: T.Boolean({ description: 'Whether it is linked here already.' }),
});

const WaitingConsent = record('WaitingConsent', 'A permission of a moderator that no subreddit uses yet.', {
  userName: text('The Reddit account that gave it.'),
  expiresTime: text('When it is revoked if it is not used, in ISO 8601.'),
  subreddits: T.Array(ModeratedSubreddit, { description: 'What the account moderates.', maxItems: 100 }),
});

const RedditConsentState = record('RedditConsentState', 'What you allowed on Reddit to link a subreddit.', {
  isOffered: T.Boolean({ description: 'Whether this server has an application on Reddit.' }),
  consent: T.Optional(WaitingConsent),
});
type RedditConsentState = ValueOf<typeof RedditConsentState>;

type ReadContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'reddit'>;

/** Returns what the caller authorized and has not used yet, with the subreddits to choose from. */
export async function getRedditConsent(ctx: ReadContext): Promise<RedditConsentState> {
  const { reddit } = ctx;
  if (reddit === undefined) return { isOffered: false };
  const userId = principalId(ctx.actor);
  const row = await selectGrant(ctx.db.system, userId, ctx.clock());
  if (row === undefined) return { isOffered: true };
  const identity = await reddit.identify(ctx.keyring.openText(row.place, row.refresh_token)).catch(platformError);
  if (identity === undefined) {
    // Revoked on Reddit.
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

function grantPlace(id: string): string {
  return `reddit_grants.refresh_token:${id}`;
}

type ConsentContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'log' | 'random' | 'reddit' | 'settings'>;

export async function beginRedditConsent(ctx: ConsentContext): Promise<LinkAttempt> {
  const { reddit } = ctx;
  if (reddit === undefined) throw notConfigured('reddit');
  const redirectUri = returnAddress(ctx, 'reddit');
  return beginAttempt(ctx, 'reddit', ({ state, codeChallenge }) =>
    reddit.consent.start({ state: markState(state), codeChallenge, redirectUri }),
  );
}

/** Stores what the caller authorized on Reddit until they choose the subreddit. The attempt is used up in any case. */
export async function finishRedditConsent(
  ctx: ConsentContext,
  { body: { state, code } }: { body: { state: string; code: string } },
): Promise<RedditConsentState> {
  const { reddit } = ctx;
  if (reddit === undefined) throw notConfigured('reddit');
  const codeVerifier = await takeAttempt(ctx, { service: 'reddit', state, what: 'a subreddit' });
  const redirectUri = returnAddress(ctx, 'reddit');
  const token = await exchangeCode(ctx, 'Reddit', () => reddit.consent.finish({ code, codeVerifier, redirectUri }));
  const id = ctx.random.id();
  const place = grantPlace(id);
  const dueAt = addSeconds(ctx.clock(), consentTtlSeconds);
  // Stored before it is used: whatever fails from here on, it will be used or revoked.
  await ctx.db.transaction('system', (tx) =>
    putGrant(tx, {
      place,
      id,
      refresh_token: ctx.keyring.seal(place, token),
      user_id: principalId(ctx.actor),
      due_at: dueAt,
      tries: 0,
    }),
  );
  return getRedditConsent(ctx);
}

/** Reddit has one redirect URI per application, which the login uses. This distinguishes the two. */
const mark = 'consent-';
const page = '/console/communities/new?platform=reddit';

function markState(state: string): string {
  return `${mark}${state}`;
}

/**
 * The console page that continues a consent; undefined for a login. Anyone may be sent to it: only the
 * session that started can use the result.
 */
export function consentPage(
  way: PlatformName,
  { state, code }: { state: string; code: string | undefined },
): string | undefined {
  if (way !== 'reddit' || !state.startsWith(mark)) return undefined;
  const returned = new URLSearchParams({ state: state.slice(mark.length), ...(code !== undefined && { code }) });
  return `${page}&${returned}`;
}

const LinkedSubreddit = record('LinkedSubreddit', 'A subreddit that is linked now.', {
  communityId: text('The id of the community.'),
  name: text('The name of the subreddit.'),
});
type LinkedSubreddit = ValueOf<typeof LinkedSubreddit>;

/** Links a subreddit with the caller's Reddit authorization, which is used up by it. */
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
  return notFound('unused Reddit authorization');
}

function isNoModerator(userName: string): AppError {
  const message = `must be a subreddit that u/${userName} moderates`;
  return refuse('/name', message, 'moderator');
}

const minutes = attemptTtlSeconds / 60;
const minutesToChoose = consentTtlSeconds / 60;

export const redditConsentOperations = [
  op(
    'GET /latchkey/account/reddit-consent',
    {
      id: 'getRedditConsent',
      summary: 'Get your unused Reddit authorization',
      description:
        'Returns the signed-in person’s unused Reddit authorization, with the subreddits that the account moderates. Reads them from Reddit. Fails with UNAVAILABLE while Reddit is not responding.',
      access: thePerson,
      returns: RedditConsentState,
      errors: ['UNAVAILABLE'],
    },
    getRedditConsent,
  ),
  op(
    'POST /latchkey/account/reddit-consent/attempts',
    {
      id: 'beginRedditConsent',
      summary: 'Start a Reddit authorization',
      description: `Returns the Reddit URL where a moderator allows this server to manage flair and approved users (OAuth 2.0 with permanent access). Reddit then sends the browser to /login/return/reddit, which leads back to the console with a code. An attempt works once, for ${minutes} minutes, for the person who started it.`,
      access: thePerson,
      returns: LinkAttempt,
      errors: ['NOT_CONFIGURED', 'UNAVAILABLE'],
    },
    beginRedditConsent,
  ),
  op(
    'POST /latchkey/account/reddit-consent',
    {
      id: 'finishRedditConsent',
      summary: 'Finish a Reddit authorization',
      description: `Keeps the permission, encrypted, until a subreddit is linked with it, and returns the subreddits to choose from. A permission that is not used within ${minutesToChoose} minutes, or that is replaced by a newer one, is revoked.`,
      audit: 'reddit.allow',
      access: thePerson,
      body: returnedFrom('Reddit'),
      returns: RedditConsentState,
      errors: ['ENTITY_NOT_FOUND', 'NOT_CONFIGURED', 'UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    finishRedditConsent,
  ),
  op(
    'POST /latchkey/account/reddit-consent/subreddits',
    {
      id: 'linkConsentedSubreddit',
      summary: 'Link a subreddit you moderate',
      description:
        'Links a subreddit with the permission that you gave on Reddit, which is used up by it. A subreddit that is new here becomes a community of the signed-in moderator. Fails with ENTITY_NOT_FOUND if there is no unused permission, and with ROLE_NOT_ALLOWED if you may not link this subreddit. Unlinking the subreddit revokes the permission.',
      audit: 'reddit.link',
      access: thePerson,
      body: shape(T.Object({ name: text('The name of the subreddit, without r/.', { minLength: 1, maxLength: 64 }) })),
      returns: LinkedSubreddit,
      errors: ['ENTITY_NOT_FOUND', 'NOT_CONFIGURED', 'ROLE_NOT_ALLOWED', 'UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    linkConsentedSubreddit,
  ),
] as const;
