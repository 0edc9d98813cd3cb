import {
  type Access,
  AppError,
  chatPlatforms,
  inHeader,
  isAble,
  listOf,
  NoContent,
  notFound,
  OpenObject,
  op,
  principalId,
  resource,
  T,
} from '@latchkey/kernel';
import { communityAdmin, readOfCommunity, scopelessReader } from '../../communities/access/index.ts';
import { type CommunityRow, getCommunity, selectCommunity } from '../../communities/community-records/index.ts';
import { askDiscord } from '../../communities/discord-guilds/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { deleteLink, selectLinks, updateChannels, upsertLink } from './queries.ts';
import { SnapshotCreate, SnapshotEvent, SnapshotLink, SnapshotUpdate, spacePattern, toLink } from './snapshot.ts';
import { snapshotWebhook } from './take-event.ts';

const space = T.String({
  description: 'The id of the space, for example example.eth.',
  pattern: spacePattern,
  maxLength: 100,
});

/** Callers that know the secret this server shares with Snapshot. */
const knowsSecret: Access = { roles: [], scopes: [] };

export const snapshot = resource('snapshot', 'Snapshot proposals in the channels of a community.', [
  op(
    'PUT /snapshot/communities/{communityId}/space/{space}',
    {
      id: 'updateSubscribedChannels',
      sdk: 'SnapshotController.updateSubscribedChannels',
      summary: 'Choose the channels of a space',
      description:
        'Sets the channels that receive proposals of a space that the community follows. Every channel must belong to the community. An empty list stops the messages; without a list, a Telegram group receives them itself.',
      access: communityAdmin('communityId'),
      params: { communityId: communityParam, space },
      body: SnapshotUpdate,
      returns: SnapshotLink,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    updateSubscribedChannels,
  ),
  op(
    'DELETE /snapshot/communities/{communityId}/space/{space}',
    {
      id: 'unsubscribeSpace',
      sdk: 'SnapshotController.uninstallMiniApp',
      summary: 'Stop following a space',
      description: 'Stops posting proposals of the space in the community. Existing messages stay.',
      access: communityAdmin('communityId'),
      params: { communityId: communityParam, space },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    unsubscribeSpace,
  ),
  op(
    'POST /snapshot/communities/{communityId}/space',
    {
      id: 'subscribeSpace',
      sdk: 'SnapshotController.subscribe',
      summary: 'Follow a space',
      description:
        'Posts new proposals of the space, and the start and end of their votes, in these channels: channels of a Discord server, or a Telegram group itself, which needs no list. The space must exist on Snapshot. Following the same space again replaces its channels.',
      access: communityAdmin('communityId'),
      params: { communityId: communityParam },
      body: SnapshotCreate,
      returns: SnapshotLink,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    subscribeSpace,
  ),
  op(
    'GET /snapshot/communities/{communityId}/space',
    {
      id: 'getSubscribedSpaces',
      sdk: 'SnapshotController.getSubscribedSpaces',
      summary: 'List the spaces of a community',
      description:
        'Returns the spaces that the community follows, and the channels that receive their proposals. For its admins, and for client applications that list it with `GET /communities`.',
      access: scopelessReader('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: listOf(SnapshotLink, 'The spaces, by their ids.'),
    },
    getSubscribedSpaces,
  ),
  op(
    'POST /snapshot/webhook/event',
    {
      id: 'snapshotWebhook',
      sdk: 'SnapshotWebhookController.subscribe',
      summary: 'Receive a Snapshot event',
      description:
        'Receives proposal events from Snapshot. The Authentication header must be the webhook secret. Each event is posted once per channel, however often it is sent; events older than a week and of unknown types are ignored.',
      access: knowsSecret,
      params: {
        authentication: T.Optional(
          inHeader(T.String({ description: 'The secret of the webhook.', minLength: 1, maxLength: 512 })),
        ),
      },
      body: SnapshotEvent,
      returns: OpenObject,
      errors: ['AUTHENTICATION_REQUIRED', 'INVALID_CREDENTIAL', 'UNAVAILABLE'],
    },
    snapshotWebhook,
  ),
]);

type LinkContext = Pick<Context, 'actor' | 'clock' | 'db' | 'discord' | 'snapshot' | 'tx'>;
type Named = { communityId: string; space: string };

/** Follows a space that Snapshot knows, in channels of the community. Repeating it replaces the channels. */
export async function subscribeSpace(
  ctx: LinkContext,
  { communityId, body: { space, channels } }: { communityId: string; body: SnapshotCreate },
): Promise<SnapshotLink> {
  const community = await communityToNotify(ctx, communityId);
  const known = await findSpace(ctx, space);
  const channelIds = await ownChannels(ctx, community, channels);
  return ctx.tx(async (tx) =>
    toLink(
      await upsertLink(tx, {
        community_id: (await getCommunity(tx, communityId)).id,
        space: known,
        channel_ids: channelIds,
        created_by_id: principalId(ctx.actor),
        created_at: ctx.clock(),
      }),
    ),
  );
}

export async function updateSubscribedChannels(
  ctx: LinkContext,
  { communityId, space, body: { channels } }: Named & { body: SnapshotUpdate },
): Promise<SnapshotLink> {
  const channelIds = await ownChannels(ctx, await communityToNotify(ctx, communityId), channels);
  const row = await ctx.tx(async (tx) =>
    updateChannels(tx, (await getCommunity(tx, communityId)).id, space, channelIds),
  );
  if (row === undefined) throw notFound('Snapshot space');
  return toLink(row);
}

export async function unsubscribeSpace(ctx: LinkContext, { communityId, space }: Named): Promise<void> {
  const removed = await ctx.tx(async (tx) => deleteLink(tx, (await getCommunity(tx, communityId)).id, space));
  if (!removed) throw notFound('Snapshot space');
}

export async function getSubscribedSpaces(
  ctx: Pick<Context, 'actor' | 'db'>,
  { communityId }: { communityId: string },
): Promise<SnapshotLink[]> {
  const rows = await readOfCommunity(ctx, communityId, (tx, { id }) => selectLinks(tx, id));
  return rows.map(toLink);
}

/**
 * Returns the id in Snapshot's notation. Without a hub it cannot be verified; an unknown space simply never has events.
 */
async function findSpace({ snapshot }: Pick<Context, 'snapshot'>, space: string): Promise<string> {
  const answer = await snapshot?.readSpace(space);
  if (answer?.kind === 'missing') throw notFound('Snapshot space');
  if (answer?.kind === 'unknown') throw new AppError('UNAVAILABLE', answer.reason, { retryAfterSeconds: 30 });
  return answer?.found.id ?? space;
}

type ChannelContext = Parameters<typeof askDiscord>[0];

/** Returns the community that proposals are posted to. On some platforms the bot cannot post. */
async function communityToNotify(ctx: Pick<Context, 'db'>, id: string): Promise<CommunityRow> {
  const community = await selectCommunity(ctx.db.system, id);
  if (community === undefined) throw notFound('community');
  const { platform } = community;
  if (!isAble(platform, 'posts'))
    throw new AppError('STATE_CONFLICT', `The bot cannot post in communities of ${chatPlatforms[platform].title}.`);
  return community;
}

/**
 * Returns the channels to post to, each once and all in the community itself: the bot is in many communities, and the
 * caller only has access to this one. Outside Discord a community is its only channel, and is used unless the list is empty.
 */
async function ownChannels(
  ctx: ChannelContext,
  { platform, community_id }: CommunityRow,
  channels: readonly string[] | undefined,
): Promise<string[]> {
  const isOneChannel = platform !== 'discord';
  if (isOneChannel && channels === undefined) return [community_id];
  const wanted = [...new Set(channels ?? [])];
  if (wanted.length === 0) return [];
  const known = isOneChannel ? [community_id] : await discordChannels(ctx, community_id);
  if (!wanted.every((id) => known.includes(id))) throw notFound('channel');
  return wanted;
}

async function discordChannels(ctx: ChannelContext, guildId: string): Promise<string[]> {
  return (await askDiscord(ctx, (discord) => discord.readChannels(guildId))).map(({ id }) => id);
}
