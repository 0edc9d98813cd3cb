import type { Tx } from '@latchkey/db';
import { type Actor, AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { notConfigured } from '../../platform-setup.ts';
import type { ModeratedSubreddit, RedditApi, RedditIdentity } from '../../ports/index.ts';
import {
  administersCommunity,
  type CommunityRow,
  communityKey,
  createCommunity,
  nativeUserId,
  selectCommunity,
} from '../communities/index.ts';
import { type RedditConfig, type RedditConfigResponse, tokenPlace } from './config.ts';
import { platformError } from './platform-error.ts';
import { putToken } from './queries.ts';

/**
 * Keeps the permanent token of a moderator, by which the platform writes flair and approves users. A subreddit that is
 * not known yet is added; that takes a token of the caller's own account, so that a found token is no way in.
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
 * Keeps the token of a moderator for a subreddit that the caller may link, and answers with its community. A token of a
 * consent is taken from where it waited, in the same transaction.
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
  const isRuler = speaksFor(ctx.actor, identity) && (await reddit.administers(token, question).catch(platformError));
  if (!isRuler) throw notYours();
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
  if (added === undefined) throw new Error(`The community ${id} vanished right after it was added.`);
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
