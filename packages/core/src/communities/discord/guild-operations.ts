import { listOf, OpenObject, op, T, text, user } from '@latchkey/kernel';
import { communityReader, communityRuler } from '../communities/index.ts';
import { BotConfigValidationResponse } from './bot-config.ts';
import { checkBotConfig } from './check-bot-config.ts';
import { createRole } from './create-role.ts';
import { DiscordGuild } from './guild.ts';
import { listOwnCommunities, listOwnMembers, mostGuildsAsked } from './own-memberships.ts';
import { guildParam, snowflake } from './params.ts';
import { getGuild, getMemberCount } from './reads.ts';
import { DiscordRoleCreate, GuildRolesResponse } from './role.ts';
import { sendMessage } from './send-message.ts';

const outsideErrors = ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'] as const;

export const botOperations = [
  op(
    'GET /discord/bot-validation/{communityId}',
    {
      id: 'checkBotConfig',
      sdk: 'DiscordBotController.checkBotConfig',
      summary: 'Check the bot in a Discord server',
      description:
        'Finds what keeps the bot from giving roles: missing permissions, roles of rules that stand above its own, belong to an integration or are gone, and channels that it cannot use. Each finding has a lasting code, a sentence on what to do and where.',
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
        'Returns the Discord communities known to this server that the caller is a member of or an admin of; isAdmin tells which. At most 100 of each.',
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
      summary: 'Read a Discord server',
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
      summary: 'Count the members of a Discord server',
      description: 'Returns the number of members that Discord gives, which is rounded for large servers.',
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
        'Makes a role in the server, below the bot’s own, so that rules can give it. Permissions that let people rule over others are refused: give those in Discord.',
      facts: {
        needsNoKey: 'Writes on Discord, which no transaction can take back.',
        senderDecides: 'name color hoist position mentionable permissions',
      },
      access: communityRuler('guildId', 'discord:guild'),
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
      description: `Returns what the caller is in the Discord communities known to this server: name, roles and since when, with the guild_id and guild_name. Discord is asked about the first ${mostGuildsAsked} of them; GET /discord/{guildId}/member/{memberId} asks about any other. Users of other platforms get an empty list.`,
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
      'Sends a message in Discord’s own form (content, embeds, components) into a channel of the server and returns the id of the message. Nobody is pinged unless allowed_mentions says whom.',
    facts: {
      needsNoKey: 'Writes on Discord, which no transaction can take back.',
      freeBody: 'A message, as Discord takes them.',
    },
    access: communityReader('guildId', 'discord:message'),
    params: { guildId: guildParam, channelId: snowflake('The channel.') },
    body: OpenObject,
    returns: T.Unsafe<string>(text('The id of the message.')),
    errors: outsideErrors,
  },
  sendMessage,
);
