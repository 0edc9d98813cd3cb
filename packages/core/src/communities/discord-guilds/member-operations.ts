import {
  AppError,
  defaultPageSize,
  listOf,
  op,
  type Page,
  pageParams,
  record,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import type { DiscordApi, DiscordMemberObject } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';
import { communityReader } from '../access/index.ts';
import { Channel } from '../community/index.ts';
import { selectActive } from '../memberships/index.ts';
import { guildParam, snowflake } from './params.ts';
import { askDiscord, type DiscordContext, getMember, guildOf, listChannels, listRoles } from './reads.ts';
import { GuildMemberInfoResponse, GuildRolesResponse, toMember } from './records.ts';

const defaultLimit = 100;
const maxLimit = 1000;

interface ListMembers {
  guildId: string;
  limit?: number | undefined;
  before?: string | undefined;
  after?: string | undefined;
}

/** Returns members in id order: those after an id, or the last ones before an id. */
export async function listMembers(ctx: DiscordContext, input: ListMembers): Promise<GuildMemberInfoResponse[]> {
  const { limit = defaultLimit, before, after } = input;
  const { guildId } = await guildOf(ctx, input.guildId);
  const members = await askDiscord(ctx, (discord) =>
    before === undefined
      ? discord.readMembers(guildId, { limit, ...(after === undefined ? {} : { after }) })
      : readBefore(discord, guildId, { limit, before: BigInt(before), after: BigInt(after ?? 0) }),
  );
  return members.map(toMember);
}

// Ids contain a timestamp in milliseconds, shifted by 22 bits.
const dayOfIds = BigInt(24 * 60 * 60 * 1000) << 22n;
const mostReads = 12;

/**
 * Discord only pages forward, so this starts some time before the id and reads up to it; if that yields too few, it
 * starts earlier.
 */
async function readBefore(
  discord: DiscordApi,
  guildId: string,
  { limit, before, after }: { limit: number; before: bigint; after: bigint },
): Promise<DiscordMemberObject[]> {
  let reads = 0;
  for (let span = dayOfIds * 30n; ; span *= 8n) {
    const start = before - span > after ? before - span : after;
    const found: DiscordMemberObject[] = [];
    for (let from = start; ; ) {
      if (reads++ >= mostReads)
        throw new AppError(
          'INVALID_PARAMETER_VALUE',
          'There are too many members before this id. Use after to page instead.',
        );
      const page = await discord.readMembers(guildId, { limit: maxLimit, after: String(from) });
      found.push(...page.filter(({ user }) => BigInt(user.id) < before));
      const last = page.at(-1);
      if (page.length < maxLimit || last === undefined || BigInt(last.user.id) >= before) break;
      from = BigInt(last.user.id);
    }
    if (found.length >= limit || start === after) return found.slice(-limit);
  }
}

const GuildActiveMemberResponse = record('GuildActiveMemberResponse', 'A member who sent a message.', {
  pk: text('The id of the community.'),
  sk: text('The key of the member. Send it as paginationToken to get the next page.'),
  classifier: text('Always ACTIVE_MEMBER.'),
  source: text('Where it was seen: discord.'),
  timestamp: T.Optional(T.Number({ description: 'When the member last sent a message, in milliseconds since 1970.' })),
});
type ActiveMember = ValueOf<typeof GuildActiveMemberResponse>;

const classifier = 'ACTIVE_MEMBER';

/** Members who have sent a message, ordered by id. The response is a bare list, so its last item is the page token. */
export async function listActiveMembers(
  ctx: Pick<Context, 'db'>,
  input: { guildId: string; limit?: number | undefined; paginationToken?: string | undefined },
): Promise<ActiveMember[]> {
  const { communityId } = await guildOf(ctx, input.guildId);
  const rows = await selectActive(ctx.db.system, communityId, cursorOf(input), input.limit ?? defaultPageSize);
  return rows.map(({ user_id, last_active_at }) => ({
    pk: communityId,
    sk: `${classifier}#${user_id}`,
    classifier,
    source: 'discord',
    timestamp: last_active_at?.getTime(),
  }));
}

function cursorOf({ paginationToken }: { paginationToken?: string | undefined }): string {
  if (paginationToken === undefined) return '';
  const [start, ...rest] = paginationToken.split('#');
  const userId = start === classifier ? rest.join('#') : '';
  if (/^\d{1,20}$/.test(nativeUserId('discord', userId) ?? '')) return userId;
  throw new AppError(
    'INVALID_PAGINATION_TOKEN',
    'Send the sk of the last item of the previous page as paginationToken.',
  );
}

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
    summary: 'List Discord server channels',
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
      summary: 'Get a Discord server member',
      description: 'Returns the member as Discord shows it now: names, roles and join date.',
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
        'Returns the members who have sent a message, in the order of their ids. The response is a bare list: send the sk of its last item as paginationToken to get the next page.',
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
      summary: 'List Discord server members',
      description: `Returns members in the order of their ids: those after an id, or the last ones before an id. Defaults to ${defaultLimit}.`,
      access: communityReader('guildId', 'discord:guild'),
      params: {
        guildId: guildParam,
        limit: T.Optional(
          T.Number({ description: 'How many members to return.', minimum: 1, maximum: maxLimit, multipleOf: 1 }),
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
      summary: 'List Discord server roles',
      description: 'Returns every role of the server, highest first.',
      access: communityReader('guildId', 'discord:guild'),
      params: { guildId: guildParam },
      returns: listOf(GuildRolesResponse),
      errors: outsideErrors,
    },
    listRoles,
  ),
] as const;
