import { AppError, notFound } from '@latchkey/kernel';
import { type DiscordApi, PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { notConfigured } from '../../shared/platform-setup.ts';
import { selectCommunity } from '../community-records/index.ts';

export type DiscordContext = Pick<Context, 'db' | 'discord'>;

/** The guild of a community that the caller has access to. Not found for communities of other platforms. */
export async function guildOf(ctx: Pick<Context, 'db'>, id: string): Promise<{ communityId: string; guildId: string }> {
  const community = await selectCommunity(ctx.db.system, id);
  if (community?.platform !== 'discord') throw notFound('community');
  return { communityId: community.id, guildId: community.community_id };
}

/** Calls Discord, and returns an API error when it does not respond or does not allow it. */
export async function askDiscord<Result>(
  ctx: Pick<Context, 'discord'>,
  ask: (discord: DiscordApi) => Promise<Result>,
): Promise<Result> {
  if (ctx.discord === undefined) throw notConfigured('discord');
  try {
    return await ask(ctx.discord);
  } catch (error) {
    throw error instanceof PlatformFailed ? toAppError(error) : error;
  }
}

function toAppError(error: PlatformFailed): AppError {
  const { message, retryAfterSeconds = 30 } = error;
  switch (error.kind) {
    case 'unknown-community':
      return new AppError('ENTITY_NOT_FOUND', message, { cause: error });
    case 'malformed':
      return new AppError('VALIDATION_FAILED', message, {
        details: [{ path: '', code: 'discord', message }],
        cause: error,
      });
    // The bot lacks the permission, not the caller, and an admin can change that.
    case 'forbidden':
      return new AppError('STATE_CONFLICT', message, { cause: error });
    case 'unavailable':
    case 'not-configured':
      return new AppError('UNAVAILABLE', message, { retryAfterSeconds, cause: error });
  }
}
