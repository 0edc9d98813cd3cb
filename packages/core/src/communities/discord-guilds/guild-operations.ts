import { listOf, notFound, OpenObject, op, principalId, T, text, user, type ValueOf } from '@latchkey/kernel';
import { PlatformFailed, rulingPermissions } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';
import { refuse } from '../../shared/refuse.ts';
import { communityReader, confirmedCommunityAdmin } from '../access/index.ts';
import { type Community, communitiesOfAdmin, communitiesOfMember } from '../community/index.ts';
import { BotConfigValidationResponse, checkBotConfig } from './check-bot.ts';
import { refuseOwnButtons } from './own-buttons.ts';
import { guildParam, snowflake } from './params.ts';
import { askDiscord, type DiscordContext, getGuild, getMemberCount, guildOf } from './reads.ts';
import { DiscordGuild, DiscordRoleCreate, GuildRolesResponse, toMember, toRole } from './records.ts';

/** Each one costs a bot API call, which all communities share. */
const maxGuildsRequested = 20;

type OwnContext = Pick<Context, 'actor' | 'clock' | 'db' | 'discord' | 'keyring' | 'random' | 'tx'>;
type CommunityValue = ValueOf<typeof Community>;

/** Returns the Discord communities on this server that the caller is a member or an admin of. */
export async function listOwnCommunities(ctx: OwnContext): Promise<Record<string, unknown>[]> {
  return (await findOwn(ctx)).map(({ community, isAdmin }) => ({ ...community, isAdmin }));
}

/** Returns the caller's memberships in the first of those communities, as Discord shows them now. */
export async function listOwnMembers(ctx: OwnContext): Promise<Record<string, unknown>[]> {
  const userId = nativeUserId('discord', principalId(ctx.actor));
  if (userId === undefined) return [];
  const own = (await findOwn(ctx)).slice(0, maxGuildsRequested);
  return askDiscord(ctx, async (discord) => {
    const found = await Promise.all(
      own.map(async ({ community }) => {
        const guildId = community.communityId ?? '';
        // A guild that removed the bot must not hide the others.
        const member = await discord.readMember(guildId, userId).catch((error: unknown) => {
          if (error instanceof PlatformFailed && error.kind === 'unknown-community') return undefined;
          throw error;
        });
        return member && { ...toMember(member), guild_id: guildId, guild_name: community.name };
      }),
    );
    return found.filter((member) => member !== undefined);
  });
}

async function findOwn(ctx: OwnContext): Promise<{ community: CommunityValue; isAdmin: boolean }[]> {
  const userId = principalId(ctx.actor);
  const administered = await communitiesOfAdmin(ctx, userId, 'discord');
  const joined = await communitiesOfMember(ctx, userId, 'discord');
  const adminIds = new Set(administered.map(({ id }) => id));
  const all = new Map([...joined, ...administered].map((community) => [community.id, community]));
  return [...all.values()].map((community) => ({ community, isAdmin: adminIds.has(community.id) }));
}

const outsideErrors = ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'] as const;

export const botOperations = [
  op(
    'GET /discord/bot-validation/{communityId}',
    {
      id: 'checkBotConfig',
      sdk: 'DiscordBotController.checkBotConfig',
      summary: 'Check the bot in a Discord server',
      description:
        'Returns the problems that keep the bot from granting roles: missing permissions, roles used by rules that are above its own, belong to an integration or no longer exist, and channels that it cannot use. Each problem has a stable code, and says what to do and where.',
      access: communityReader('communityId', 'discord:guild'),
      params: { communityId: guildParam },
      returns: BotConfigValidationResponse,
      errors: outsideErrors,
    },
    checkBotConfig,
  ),
  op(
    'GET /discord/communities',
    {
      id: 'getDiscordUserCommunities',
      sdk: 'DiscordBotController.getUserCommunities',
      summary: 'List your Discord communities',
      description:
        'Returns the Discord communities on this server that the caller is a member or an admin of; isAdmin shows which. At most 100 of each.',
      access: user('discord:user'),
      returns: listOf(OpenObject),
    },
    listOwnCommunities,
  ),
] as const;

export const guildOperations = [
  op(
    'GET /discord/guilds/{guildId}',
    {
      id: 'getDiscordGuild',
      sdk: 'DiscordIntegrationController.getDiscordGuild',
      summary: 'Get a Discord server',
      description: 'Returns the roles, the channels and the number of members of a server, as Discord shows them now.',
      access: communityReader('guildId', 'discord:guild'),
      params: { guildId: guildParam },
      returns: DiscordGuild,
      errors: outsideErrors,
    },
    getGuild,
  ),
  op(
    'GET /discord/guilds/{guildId}/memberCount',
    {
      id: 'getDiscordGuildMemberCount',
      sdk: 'DiscordIntegrationController.getDiscordGuildMemberCount',
      summary: 'Count Discord server members',
      description: 'Returns the number of members as reported by Discord, which is rounded for large servers.',
      access: communityReader('guildId', 'discord:guild'),
      params: { guildId: guildParam },
      returns: DiscordGuild,
      errors: outsideErrors,
    },
    getMemberCount,
  ),
  op(
    'POST /discord/guilds/{guildId}/roles',
    {
      id: 'createDiscordRole',
      sdk: 'DiscordIntegrationController.createDiscordRole',
      summary: 'Create a role',
      description:
        'Creates a role in the server, below the bot’s own, so that rules can grant it. Privileged permissions are rejected: grant those in Discord.',
      access: confirmedCommunityAdmin('guildId', 'discord:guild'),
      params: { guildId: guildParam },
      body: DiscordRoleCreate,
      returns: GuildRolesResponse,
      errors: outsideErrors,
    },
    createRole,
  ),
  op(
    'GET /discord/users/@me/guilds/members',
    {
      id: 'getDiscordMembers',
      sdk: 'DiscordIntegrationController.getDiscordMembers',
      summary: 'Get your memberships',
      description: `Returns the caller’s memberships in the Discord communities on this server: name, roles and join date, with the guild_id and guild_name. Only the first ${maxGuildsRequested} are read from Discord; use GET /discord/{guildId}/member/{memberId} for any other. Users of other platforms get an empty list.`,
      access: user('discord:user'),
      returns: listOf(OpenObject),
      errors: ['UNAVAILABLE'],
    },
    listOwnMembers,
  ),
] as const;

export const messageOperation = op(
  'POST /discord/{guildId}/channels/{channelId}/message',
  {
    id: 'sendDiscordMessage',
    sdk: 'DiscordIntegrationController.sendDiscordMessage',
    summary: 'Send a message to a channel',
    description:
      'Sends a message in Discord’s format (content, embeds, components) to a channel of the server and returns the message id. Only users and roles in allowed_mentions are pinged.',
    access: communityReader('guildId', 'discord:message'),
    params: { guildId: guildParam, channelId: snowflake('The channel.') },
    body: OpenObject,
    returns: T.Unsafe<string>(text('The id of the message.')),
    errors: outsideErrors,
  },
  sendMessage,
);

/** Sends a message to a channel of the guild and returns its id. */
export async function sendMessage(
  ctx: DiscordContext,
  { guildId: id, channelId, body }: { guildId: string; channelId: string; body: Record<string, unknown> },
): Promise<string> {
  const { guildId } = await guildOf(ctx, id);
  refuseOwnButtons(body);
  return askDiscord(ctx, async (discord) => {
    // The bot is in many guilds, but the caller has access to only one of them.
    const channels = await discord.readChannels(guildId);
    if (!channels.some((channel) => channel.id === channelId)) throw notFound('channel');
    const message = await discord.sendMessage(channelId, quiet(body));
    return message.id;
  });
}

/** A message pings only users and roles that the sender names explicitly. */
function quiet(message: Record<string, unknown>): Record<string, unknown> {
  return { allowed_mentions: { parse: [] }, ...message };
}

export async function createRole(
  ctx: Pick<Context, 'actor' | 'db' | 'discord'>,
  { guildId: id, body }: { guildId: string; body: DiscordRoleCreate },
): Promise<GuildRolesResponse> {
  const { guildId } = await guildOf(ctx, id);
  const { name, color, position, permissions, ...flags } = body;
  const reason = `Requested by ${principalId(ctx.actor)}`;
  const wanted = {
    ...flags,
    name,
    ...(color === undefined ? {} : { color: readColor(color) }),
    ...(permissions === undefined ? {} : { permissions: harmless(permissions) }),
  };
  return askDiscord(ctx, async (discord) => {
    const role = await discord.createRole(guildId, wanted, reason);
    if (position === undefined || position === role.position) return toRole(role);
    await discord.moveRole(guildId, role.id, position, reason);
    return toRole({ ...role, position });
  });
}

function readColor(color: string): number {
  const hex = /^(?:#|0x)([0-9a-f]{6})$/i.exec(color)?.[1];
  const value = hex === undefined ? Number(/^\d{1,8}$/.test(color) ? color : Number.NaN) : Number.parseInt(hex, 16);
  if (Number.isInteger(value) && value <= 0xffffff) return value;
  throw refuse('/color', 'must be #rrggbb or a decimal number up to 16777215');
}

// A user who may change rules here may have no permissions on the Discord server, and must not gain any through a role.
function harmless(permissions: number): string {
  if (!Number.isSafeInteger(permissions)) throw refuse('/permissions', 'must be a whole number');
  const ruling = rulingPermissions(String(permissions));
  if (ruling.length > 0) throw refuse('/permissions', `must not contain ${ruling.join(', ')}: grant these in Discord`);
  return String(permissions);
}
