import type { Tx } from '@latchkey/db';
import { type Actor, AppError, listOf, NoContent, OpenObject, op, principalId, resource, user } from '@latchkey/kernel';
import { administersCommunity, communityAdmin, scopelessReader } from '../../communities/access/index.ts';
import { createCommunity } from '../../communities/community/index.ts';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { type ModeratedSubreddit, PlatformFailed, type RedditApi, type RedditIdentity } from '../../ports/index.ts';
import { communityIdField } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { notConfigured } from '../../shared/platform-setup.ts';
import { communityKey, nativeUserId } from '../../shared/qualified-ids.ts';
import { putToken } from './queries.ts';
import {
  CheckCommunityConfigResponse,
  createWalletConnectionSession,
  getAdminCommunities,
  isCommunityConfigSet,
  type RedditConfig,
  RedditConfigResponse,
  tokenPlace,
  unlinkToken,
} from './reads.ts';

const subredditParam = communityIdField('The name of the subreddit, or its qualified id.');

export const reddit = resource(
  'reddit',
  'Subreddits as communities: flair and approved users based on wallet holdings.',
  [
    op(
      'GET /reddit/administrated-communities',
      {
        id: 'getAdminCommunities',
        sdk: 'RedditController.getAdminCommunities',
        summary: 'List the subreddits you manage',
        description:
          'Returns the subreddits known here that the signed-in user is an admin of, at most 100, and whether each is linked.',
        access: user(),
        returns: listOf(OpenObject, 'The subreddits: id, communityId, name, iconURL and isLinked.'),
      },
      getAdminCommunities,
    ),
    op(
      'POST /reddit/community',
      {
        id: 'addCommunityConfig',
        sdk: 'RedditController.addCommunityConfig',
        summary: 'Link a subreddit',
        description:
          'Links a subreddit with communityName and botToken, the permanent (refresh) token of a moderator with the scopes identity, mysubreddits, read, flair, modflair and modcontributors. The token is verified with Reddit and stored encrypted. A subreddit that is new here becomes a community of the signed-in moderator.',
        access: user(),
        body: OpenObject,
        returns: RedditConfigResponse,
        errors: ['UNAVAILABLE', 'ROLE_NOT_ALLOWED'],
      },
      addCommunityConfig,
    ),
    op(
      'GET /reddit/is-community-config-set',
      {
        id: 'isCommunityConfigSet',
        sdk: 'RedditController.isCommunityConfigSet',
        summary: 'Check whether a subreddit is linked',
        description:
          'Asks Reddit whether the kept token still belongs to a moderator of the subreddit. For its admins, and for client applications that list it with `GET /communities`.',
        access: scopelessReader('communityId', 'community:read'),
        params: { communityId: subredditParam },
        returns: CheckCommunityConfigResponse,
      },
      isCommunityConfigSet,
    ),
    op(
      'GET /reddit/unlink-token',
      {
        id: 'unlinkToken',
        sdk: 'RedditController.unlinkToken',
        summary: 'Unlink a subreddit',
        description: 'Deletes the subreddit’s token. Flair and approved users stay unchanged.',
        changes: true,
        access: communityAdmin('communityId'),
        params: { communityId: subredditParam },
        returns: NoContent,
      },
      unlinkToken,
    ),
    op(
      'POST /reddit/wallet-connection-sessions',
      {
        id: 'createWalletConnectionSession',
        sdk: 'RedditController.createWalletConnectionSession',
        summary: 'Start linking a wallet',
        description:
          'Creates a link to the page where wallets are linked to the signed-in account. The link expires after 15 minutes; the state behind its slug contains a token for the wallet operations.',
        access: user(),
        returns: OpenObject,
      },
      createWalletConnectionSession,
    ),
  ],
);

/**
 * Stores a moderator's permanent token, which is used to write flair and approve users. An unknown subreddit is added;
 * that requires a token of the caller's own account, so that a leaked token does not give access.
 */
export async function addCommunityConfig(
  ctx: Context,
  { body }: { body: Record<string, unknown> },
): Promise<RedditConfigResponse> {
  const config = readConfig(body);
  const { reddit } = ctx;
  if (reddit === undefined) throw notConfigured('reddit');
  const identity = await reddit.identify(config.botToken).catch(platformError);
  const subreddit = findModerated(identity, config.communityName);
  if (identity === undefined || subreddit === undefined)
    throw new AppError('VALIDATION_FAILED', 'The token must belong to a moderator of this subreddit.', {
      details: [{ path: '/botToken', code: 'moderator', message: 'must belong to a moderator of the subreddit' }],
    });
  await linkSubreddit(ctx, reddit, { identity, subreddit, token: config.botToken });
  return { clientId: reddit.clientId, communityName: subreddit.name };
}

export function findModerated(identity: RedditIdentity | undefined, wanted: string): ModeratedSubreddit | undefined {
  return identity?.moderates.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
}

interface ModeratorToken {
  identity: RedditIdentity;
  subreddit: ModeratedSubreddit;
  token: string;
}

/**
 * Stores a moderator's token for a subreddit that the caller may link, and returns its community. A token from a
 * consent is removed from the pending ones in the same transaction.
 */
export async function linkSubreddit(
  ctx: Context,
  reddit: RedditApi,
  { identity, subreddit, token }: ModeratorToken,
  takeConsent?: (tx: Tx) => Promise<void>,
): Promise<CommunityRow> {
  const community = await ownSubreddit(ctx, reddit, subreddit, identity, token);
  await ctx.db.transaction('system', async (tx) => {
    await takeConsent?.(tx);
    await putToken(tx, {
      community_id: community.id,
      refresh_token: ctx.keyring.seal(tokenPlace(community.id), token),
      reddit_user: identity.userName,
      linked_by_id: principalId(ctx.actor),
      linked_at: ctx.clock(),
      inbox_due_at: null,
      by_consent: takeConsent !== undefined,
    });
  });
  return community;
}

function readConfig(body: Record<string, unknown>): RedditConfig {
  const { communityName, botToken } = body;
  return {
    communityName: readText('communityName', communityName, 64),
    botToken: readText('botToken', botToken, 2048),
  };
}

function readText(field: string, value: unknown, maxLength: number): string {
  if (typeof value === 'string' && value.length > 0 && value.length <= maxLength) return value;
  throw new AppError('VALIDATION_FAILED', `The body at /${field} must be a text of 1 to ${maxLength} characters.`, {
    details: [{ path: `/${field}`, code: 'type', message: `must be a text of 1 to ${maxLength} characters` }],
  });
}

async function ownSubreddit(
  ctx: Context,
  reddit: RedditApi,
  subreddit: ModeratedSubreddit,
  identity: RedditIdentity,
  token: string,
): Promise<CommunityRow> {
  const id = communityKey('reddit', subreddit.name);
  const known = await selectCommunity(ctx.db.system, id);
  if (known !== undefined) {
    if (await administersCommunity(ctx, id)) return known;
    throw notYours();
  }
  const question = { subreddit: subreddit.name, userName: identity.userName };
  const isCommunityAdmin =
    speaksFor(ctx.actor, identity) && (await reddit.administers(token, question).catch(platformError));
  if (!isCommunityAdmin) throw notYours();
  const system: Actor = { kind: 'system', job: 'reddit.link' };
  await createCommunity(
    { ...ctx, actor: system },
    {
      body: {
        platform: 'reddit',
        communityId: subreddit.name,
        name: subreddit.name,
        ...(ctx.actor.kind === 'user' && { ownerId: ctx.actor.userId }),
        ...(subreddit.iconUrl !== undefined && { iconURL: subreddit.iconUrl }),
      },
    },
  );
  const added = await selectCommunity(ctx.db.system, id);
  if (added === undefined) throw new Error(`The community ${id} was deleted right after it was added.`);
  return added;
}

function speaksFor(actor: Actor, { userName }: RedditIdentity): boolean {
  if (actor.kind === 'admin' || actor.kind === 'system') return true;
  if (actor.kind !== 'user') return false;
  return nativeUserId('reddit', actor.userId)?.toLowerCase() === userName.toLowerCase();
}

function notYours(): AppError {
  return new AppError(
    'ROLE_NOT_ALLOWED',
    'Only a moderator who manages this subreddit (Everything, Manage Settings or Manage Users), signed in with Reddit, can link it.',
  );
}

/** The API error for a failed call to Reddit. */
export function platformError(error: unknown): never {
  if (!(error instanceof PlatformFailed)) throw error;
  throw new AppError('UNAVAILABLE', error.message, { retryAfterSeconds: error.retryAfterSeconds ?? 30, cause: error });
}
