import {
  AppError,
  addSeconds,
  choice,
  notFound,
  op,
  platformNames,
  record,
  shape,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import { communityAdmin, confirmedCommunityAdmin } from '../../communities/access/index.ts';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { allows, askDiscord, channelNames, permissionsOf, spaced } from '../../communities/discord-guilds/index.ts';
import {
  type DiscordApi,
  type DiscordChannelObject,
  type DiscordMemberObject,
  type DiscordRoleObject,
  discordPermissions,
  PlatformFailed,
  type TelegramApi,
} from '../../ports/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { notConfigured } from '../../shared/platform-setup.ts';
import { joinMessage, replacing } from '../discord-interactions/index.ts';
import { joinPost } from '../telegram/index.ts';
import { discordInvite } from './invite-links.ts';
import { claimJoinMessage, type JoinMessageRow, releaseJoinMessage, selectJoinMessage } from './join-queries.ts';

const [[adminChannelName], [defaultName]] = channelNames;
const mostChannels = 500;
const textChannel = 0;
const claimSeconds = 60;
const longestNonce = 25;

const JoinChannel = record('JoinChannel', 'A channel that the join message can be posted in.', {
  id: text('The platform’s own id of the channel.'),
  name: text('What people call it.', { maxLength: 256 }),
  canPost: T.Boolean({ description: 'Whether the bot can see it and write in it.' }),
});

const JoinMessage = record('JoinMessage', 'The message by which members of a community link their wallets.', {
  platform: choice('The chat platform.', platformNames),
  isSupported: T.Boolean({ description: 'Whether the bot can post such a message on this platform.' }),
  isPosted: T.Boolean({ description: 'Whether it was posted from here and its channel still exists.' }),
  postedTime: T.Optional(text('When it was posted, in ISO 8601.')),
  channelId: T.Optional(text('The channel or chat that it is in.')),
  channelName: T.Optional(text('What people call that channel.', { maxLength: 256 })),
  link: T.Optional(text('Where it can be seen.')),
  defaultName: T.Optional(text('The name of a new channel, unless another one is chosen.')),
  canCreateChannel: T.Boolean({ description: 'Whether the bot can create a channel for it.' }),
  problem: T.Optional(
    text('What keeps the bot from creating a channel or from pinning the message.', { maxLength: 4096 }),
  ),
  permissionLink: T.Optional(text('Where an admin gives the bot the permission that it lacks.')),
  channels: T.Array(JoinChannel, {
    description: 'The text channels, in the order of the platform.',
    maxItems: mostChannels,
  }),
});
type JoinMessage = ValueOf<typeof JoinMessage>;

const PostJoinMessage = shape(
  T.Object(
    {
      channelName: T.Optional(
        text('The name of the channel to create or, if there is one with that name, to use.', {
          minLength: 1,
          maxLength: 100,
        }),
      ),
      channelId: T.Optional(
        text('An existing channel to post in instead.', { minLength: 1, maxLength: 64, pattern: '^\\d+$' }),
      ),
      createsAdminChannel: T.Optional(
        T.Boolean({
          description: `Whether to create #${adminChannelName} too, which only admins see, if it does not exist.`,
        }),
      ),
    },
    { additionalProperties: false },
  ),
);
type PostJoinMessage = ValueOf<typeof PostJoinMessage>;

type JoinContext = Pick<Context, 'clock' | 'db' | 'discord' | 'settings' | 'telegram'>;
type Posted = Pick<JoinMessageRow, 'channel_id' | 'message_id'> & { isNew: boolean; problem?: string };

export const joinMessageOperations = [
  op(
    'GET /latchkey/communities/{communityId}/join-message',
    {
      id: 'getJoinMessage',
      summary: 'Get the join message',
      description:
        'Returns whether the message by which members link their wallets was posted, where it is, in which channels the bot could post it, and whether the bot can create a channel. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: JoinMessage,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    getJoinMessage,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/join-message',
    {
      id: 'postJoinMessage',
      summary: 'Post the join message',
      description:
        'Has the bot post the message by which members link their wallets. On Discord the bot creates the channel, in which members can read and press but not write, or uses an existing one; on Telegram it posts in the group and pins the message. Calling it again finds what exists: the channel and the message are created again only if they were deleted. Refused with STATE_CONFLICT, which names the missing permission or the limit that is reached. For community admins.',
      audit: 'community.change',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId: communityParam },
      body: PostJoinMessage,
      returns: JoinMessage,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    postJoinMessage,
  ),
] as const;

export async function getJoinMessage(ctx: JoinContext, { communityId }: { communityId: string }): Promise<JoinMessage> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined) throw notFound('community');
  return describe(ctx, community, await selectJoinMessage(ctx.db.system, community.id));
}

export async function postJoinMessage(
  ctx: JoinContext,
  { communityId, body }: { communityId: string; body: PostJoinMessage },
): Promise<JoinMessage> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined) throw notFound('community');
  const now = ctx.clock();
  const known = await claimJoinMessage(ctx.db.system, community.id, now, addSeconds(now, claimSeconds));
  if (known === undefined)
    throw new AppError('STATE_CONFLICT', 'The join message is being posted already. Try again in a minute.');
  let posted: Posted | undefined;
  try {
    posted = await post(ctx, community, known, body);
  } finally {
    const { channel_id, message_id, isNew } = posted ?? { isNew: false };
    await releaseJoinMessage(
      ctx.db.system,
      community.id,
      posted === undefined ? {} : { channel_id, message_id, ...(isNew && { posted_at: now }) },
    );
  }
  const row = await selectJoinMessage(ctx.db.system, community.id);
  const answer = await describe(ctx, community, row);
  return posted.problem === undefined ? answer : { ...answer, problem: posted.problem };
}

async function post(
  ctx: JoinContext,
  community: CommunityRow,
  known: JoinMessageRow,
  body: PostJoinMessage,
): Promise<Posted> {
  switch (community.platform) {
    case 'discord':
      return askDiscord(ctx, (discord) => postOnDiscord(ctx, discord, community, known, body));
    case 'telegram':
      if (ctx.telegram === undefined) throw notConfigured('telegram');
      return postOnTelegram(ctx.telegram, community, known).catch(inOurWords);
    default:
      throw new AppError('STATE_CONFLICT', 'The bot cannot post a join message on this platform.');
  }
}

interface Server {
  guildId: string;
  bot: DiscordMemberObject;
  roles: readonly DiscordRoleObject[];
  channels: readonly DiscordChannelObject[];
}

async function readServer(discord: DiscordApi, guildId: string): Promise<Server> {
  const bot = await discord.readBot(guildId);
  if (bot === undefined)
    throw new AppError('STATE_CONFLICT', 'The bot is not in this Discord server. Add it with the invite link first.');
  const [roles, channels] = await Promise.all([discord.readRoles(guildId), discord.readChannels(guildId)]);
  return { guildId, bot, roles, channels };
}

async function postOnDiscord(
  ctx: JoinContext,
  discord: DiscordApi,
  { community_id: guildId }: CommunityRow,
  known: JoinMessageRow,
  { channelName, channelId, createsAdminChannel = false }: PostJoinMessage,
): Promise<Posted> {
  const server = await readServer(discord, guildId);
  if (createsAdminChannel) await ensureAdminChannel(discord, server);
  const channel = await ensureChannel(discord, server, known, { channelName, channelId });
  const message = joinMessage(ctx);
  if (known.message_id !== null && known.channel_id === channel.id) {
    const edited = await discord.editMessage(channel.id, known.message_id, replacing(message));
    if (edited !== undefined) return { channel_id: channel.id, message_id: known.message_id, isNew: false };
  }
  // A message whose id was lost in a crash is found again by the nonce, for a few minutes.
  const nonce = `join-${known.message_id ?? channel.id}`.slice(0, longestNonce);
  const sent = await discord.sendMessage(channel.id, { ...message, nonce, enforce_nonce: true });
  return { channel_id: channel.id, message_id: sent.id, isNew: true };
}

/** The chosen channel, the one that the message is in, one with the wanted name, or a new one. */
async function ensureChannel(
  discord: DiscordApi,
  server: Server,
  known: JoinMessageRow,
  { channelName, channelId }: Pick<PostJoinMessage, 'channelName' | 'channelId'>,
): Promise<DiscordChannelObject> {
  const usable = server.channels.filter(({ type }) => type === textChannel);
  const wanted = toChannelName(channelName ?? defaultName);
  const found =
    channelId === undefined
      ? (usable.find(({ id }) => id === known.channel_id && channelName === undefined) ??
        usable.find(({ name }) => name === wanted))
      : usable.find(({ id }) => id === channelId);
  if (channelId !== undefined && found === undefined)
    throw new AppError('STATE_CONFLICT', 'This channel is no longer a text channel of the server. Choose another.');
  if (found === undefined) return createChannel(discord, server, wanted, 'read-only');
  const missing = missingIn(server, found);
  if (missing.length === 0) return found;
  throw new AppError(
    'STATE_CONFLICT',
    `The bot cannot post in #${found.name ?? wanted}. In Discord, edit the channel, open Permissions, add the bot, and allow ${missing.map(spaced).join(' and ')}.`,
  );
}

async function ensureAdminChannel(discord: DiscordApi, server: Server): Promise<void> {
  const names: readonly string[] = channelNames[0];
  if (server.channels.some(({ name }) => names.includes(name ?? ''))) return;
  await createChannel(discord, server, adminChannelName, 'admins');
}

function missingIn(server: Server, channel: DiscordChannelObject) {
  const bits = permissionsOf(server, channel);
  return (['ViewChannel', 'SendMessages'] as const).filter((name) => !allows(bits, name));
}

/** As Discord spells the name of a text channel. */
function toChannelName(name: string): string {
  return [...name.trim().toLowerCase().replace(/\s+/g, '-')].slice(0, 100).join('');
}

/** What members must not do in a channel that they only read: write, and write in threads. */
const writing = discordPermissions.SendMessages | (1n << 35n) | (1n << 36n) | (1n << 38n);

async function createChannel(
  discord: DiscordApi,
  server: Server,
  name: string,
  audience: 'read-only' | 'admins',
): Promise<DiscordChannelObject> {
  if (name === '') throw new AppError('STATE_CONFLICT', 'The name of the channel has no letters that Discord allows.');
  const refused = whyNoChannel(server);
  if (refused !== undefined) throw new AppError('STATE_CONFLICT', refused);
  const { ViewChannel, SendMessages, EmbedLinks } = discordPermissions;
  const isReadOnly = audience === 'read-only';
  // Discord lets a bot allow and deny only what it may do itself.
  const own = permissionsOf(server);
  return discord.createChannel(
    server.guildId,
    {
      name,
      type: textChannel,
      topic: isReadOnly ? 'Link a wallet to get your roles.' : 'Notices for admins, and the bot’s commands.',
      permission_overwrites: [
        {
          id: server.guildId,
          type: 0,
          allow: String(isReadOnly ? ViewChannel & own : 0n),
          deny: String((isReadOnly ? writing : ViewChannel) & own),
        },
        { id: server.bot.user.id, type: 1, allow: String((ViewChannel | SendMessages | EmbedLinks) & own), deny: '0' },
      ],
    },
    'An admin set up the channel in the console.',
  );
}

/** Why the bot cannot create a channel in this server. */
function whyNoChannel(server: Server): string | undefined {
  const bits = permissionsOf(server);
  const missing = (['ManageChannels', 'ViewChannel', 'SendMessages'] as const).filter((name) => !allows(bits, name));
  if (missing.length > 0)
    return `To create a channel, the bot needs the permission ${missing.map(spaced).join(' and ')}. Allow it, or choose an existing channel.`;
  if (server.channels.length >= mostChannels)
    return `This server has ${mostChannels} channels, the most that Discord allows. Delete one, or choose an existing channel.`;
  return undefined;
}

/** Posts in the group and pins it. Without the right to pin, the message is posted all the same. */
async function postOnTelegram(
  telegram: TelegramApi,
  { community_id: chatId, name }: CommunityRow,
  known: JoinMessageRow,
): Promise<Posted> {
  const message = joinPost(name, chatId, await telegram.botName());
  const isThere =
    known.message_id !== null &&
    known.channel_id === chatId &&
    (await telegram.edit(chatId, known.message_id, message));
  const messageId = isThere && known.message_id !== null ? known.message_id : await telegram.post(chatId, message);
  const posted = { channel_id: chatId, message_id: messageId, isNew: !isThere };
  try {
    await telegram.pin(chatId, messageId);
    return posted;
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    const problem =
      error.kind === 'unavailable'
        ? 'The message is posted, but Telegram did not respond when it was to be pinned. Try again in a minute.'
        : 'The message is posted but not pinned. In Telegram, open the group’s profile, choose Administrators, choose the bot, and switch on “Pin messages”. Then post it again: it is not sent a second time.';
    return { ...posted, problem };
  }
}

function inOurWords(error: unknown): never {
  if (!(error instanceof PlatformFailed)) throw error;
  const { kind, message, retryAfterSeconds = 30 } = error;
  if (kind === 'unavailable') throw new AppError('UNAVAILABLE', message, { retryAfterSeconds, cause: error });
  throw new AppError('STATE_CONFLICT', `Telegram did not let the bot post in the group: ${message}`, { cause: error });
}

async function describe(
  ctx: JoinContext,
  community: CommunityRow,
  row: JoinMessageRow | undefined,
): Promise<JoinMessage> {
  const { platform, community_id, name } = community;
  const base = { platform, isSupported: true, isPosted: false, canCreateChannel: false, channels: [] };
  const time = row?.posted_at ? { postedTime: row.posted_at.toISOString() } : {};
  if (platform === 'telegram') {
    if (!row?.message_id || row.channel_id !== community_id) return base;
    const link = /^-100\d+$/.test(community_id)
      ? `https://t.me/c/${community_id.slice(4)}/${row.message_id}`
      : undefined;
    return { ...base, isPosted: true, ...time, channelName: name, ...(link !== undefined && { link }) };
  }
  if (platform !== 'discord') return { ...base, isSupported: false };
  const server = await askDiscord(ctx, (discord) => readServer(discord, community_id));
  const posted = row?.message_id ? server.channels.find(({ id }) => id === row.channel_id) : undefined;
  const problem = whyNoChannel(server);
  const permissionLink = discordInvite(ctx, community_id, ['ManageChannels']);
  return {
    ...base,
    isPosted: posted !== undefined,
    ...(posted !== undefined && {
      ...time,
      channelId: posted.id,
      ...(typeof posted.name === 'string' && { channelName: posted.name }),
      link: `https://discord.com/channels/${community_id}/${posted.id}/${row?.message_id}`,
    }),
    defaultName,
    canCreateChannel: problem === undefined,
    ...(problem !== undefined && { problem, ...(permissionLink !== undefined && { permissionLink }) }),
    channels: server.channels
      .filter(({ type }) => type === textChannel)
      .slice(0, mostChannels)
      .map((channel) => ({
        id: channel.id,
        name: (channel.name ?? channel.id).slice(0, 256),
        canPost: missingIn(server, channel).length === 0,
      })),
  };
}
