import type { ValueOf } from '@latchkey/kernel';
import { notFound, type Page } from '@latchkey/kernel';
import type { Channel } from '../community/index.ts';
import { askDiscord, type DiscordContext, guildOf } from './ask-discord.ts';
import { type DiscordGuild, toGuild } from './guild.ts';
import { type GuildMemberInfoResponse, toMember } from './member.ts';
import { type GuildRolesResponse, toRole } from './role.ts';

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
