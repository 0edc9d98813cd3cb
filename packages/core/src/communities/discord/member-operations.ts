import { listOf, op, type Page, pageParams, T, type ValueOf } from '@latchkey/kernel';
import { Channel, communityReader } from '../communities/index.ts';
import { GuildActiveMemberResponse, listActiveMembers } from './active-members.ts';
import { defaultLimit, listMembers, maxLimit } from './list-members.ts';
import { GuildMemberInfoResponse } from './member.ts';
import { guildParam, snowflake } from './params.ts';
import { getMember, listChannels, listRoles } from './reads.ts';
import { GuildRolesResponse } from './role.ts';

const outsideErrors = ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'] as const;

const ChannelPage = T.Unsafe<Page<ValueOf<typeof Channel>>>(
  T.Object(
    { items: T.Array(Channel, { description: 'The channels.', maxItems: 1000 }) },
    { 'x-name': 'ChannelPage', description: 'All channels of a server: there is no next page.' },
  ),
);

export const channelOperation = op(
  'GET /discord/{id}/channels',
  {
    id: 'findChannels',
    sdk: 'DiscordIntegrationController.findChannels',
    summary: 'List the channels of a Discord server',
    description: 'Returns the name and the address of every channel. Discord lists all of them at once.',
    access: communityReader('id', 'discord:guild'),
    params: { id: guildParam },
    returns: ChannelPage,
    paginated: 'token',
    errors: outsideErrors,
  },
  listChannels,
);

export const memberOperations = [
  op(
    'GET /discord/{guildId}/member/{memberId}',
    {
      id: 'getMemberInfo',
      sdk: 'DiscordIntegrationController.getMemberInfo',
      summary: 'Read a member of a Discord server',
      description: 'Returns the member as Discord shows it now: names, roles and since when.',
      access: communityReader('guildId', 'discord:user'),
      params: { guildId: guildParam, memberId: snowflake('Discord’s id of the user.') },
      returns: GuildMemberInfoResponse,
      errors: outsideErrors,
    },
    getMember,
  ),
  op(
    'GET /discord/{guildId}/members/active',
    {
      id: 'getGuildActiveMembers',
      sdk: 'DiscordIntegrationController.getGuildActiveMembers',
      summary: 'List active members',
      description:
        'Returns the members of whom this server saw a message, in the order of their ids. The answer is a bare list: send the sk of its last item as paginationToken to get the next.',
      access: communityReader('guildId', 'discord:guild'),
      params: { guildId: guildParam, ...pageParams },
      returns: listOf(GuildActiveMemberResponse),
      paginated: 'token',
      errors: ['ENTITY_NOT_FOUND'],
    },
    listActiveMembers,
  ),
  op(
    'GET /discord/{guildId}/members',
    {
      id: 'getGuildMembers',
      sdk: 'DiscordIntegrationController.getGuildMembers',
      summary: 'List the members of a Discord server',
      description: `Returns members in the order of their ids: those after an id, or the last ones before an id. Defaults to ${defaultLimit}.`,
      access: communityReader('guildId', 'discord:guild'),
      params: {
        guildId: guildParam,
        limit: T.Optional(
          T.Number({ description: 'How many members to answer with.', minimum: 1, maximum: maxLimit, multipleOf: 1 }),
        ),
        before: T.Optional(snowflake('Only members whose ids come before this one.')),
        after: T.Optional(snowflake('Only members whose ids come after this one.')),
      },
      returns: listOf(GuildMemberInfoResponse),
      paginated: 'before-after',
      errors: outsideErrors,
    },
    listMembers,
  ),
  op(
    'GET /discord/{guildId}/roles',
    {
      id: 'getGuildRoles',
      sdk: 'DiscordIntegrationController.getGuildRoles',
      summary: 'List the roles of a Discord server',
      description: 'Returns every role of the server, the highest first.',
      access: communityReader('guildId', 'discord:guild'),
      params: { guildId: guildParam },
      returns: listOf(GuildRolesResponse),
      errors: outsideErrors,
    },
    listRoles,
  ),
] as const;
