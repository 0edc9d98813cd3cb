import { AppError, notFound, type Page, type ValueOf } from '@latchkey/kernel';
import { type DiscordApi, PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { notConfigured } from '../../shared/platform-setup.ts';
import type { Channel } from '../community/index.ts';
import { selectCommunity } from '../community-records/index.ts';
import {
  type DiscordGuild,
  type GuildMemberInfoResponse,
  type GuildRolesResponse,
  toGuild,
  toMember,
  toRole,
} from './records.ts';

export async function getGuild(ctx: DiscordContext, input: { guildId: string }): Promise<DiscordGuild> {
  const { guildId } = await guildOf(ctx, input.guildId);
  return askDiscord(ctx, async (discord) => {
    const [guild, channels] = await Promise.all([discord.readGuild(guildId), discord.readChannels(guildId)]);
    return toGuild(guild, channels);
  });
}

export async function getMemberCount(ctx: DiscordContext, input: { guildId: string }): Promise<DiscordGuild> {
  const { guildId } = await guildOf(ctx, input.guildId);
  const guild = await askDiscord(ctx, (discord) => discord.readGuild(guildId));
  return { id: guild.id, memberCount: guild.approximate_member_count };
}

export async function listRoles(ctx: DiscordContext, input: { guildId: string }): Promise<GuildRolesResponse[]> {
  const { guildId } = await guildOf(ctx, input.guildId);
  const roles = await askDiscord(ctx, (discord) => discord.readRoles(guildId));
  return roles.toSorted((a, b) => b.position - a.position).map(toRole);
}

/** Discord lists all channels at once, so there is one page. */
export async function listChannels(
  ctx: DiscordContext,
  { id }: { id: string },
): Promise<Page<ValueOf<typeof Channel>>> {
  const { guildId } = await guildOf(ctx, id);
  const channels = await askDiscord(ctx, (discord) => discord.readChannels(guildId));
  return {
    items: channels.map((channel) => ({
      name: channel.name ?? undefined,
      link: `https://discord.com/channels/${guildId}/${channel.id}`,
    })),
  };
}

export async function getMember(
  ctx: DiscordContext,
  { guildId: id, memberId }: { guildId: string; memberId: string },
): Promise<GuildMemberInfoResponse> {
  const { guildId } = await guildOf(ctx, id);
  const member = await askDiscord(ctx, (discord) => discord.readMember(guildId, memberId));
  if (member === undefined) throw notFound('member');
  return toMember(member);
}

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
