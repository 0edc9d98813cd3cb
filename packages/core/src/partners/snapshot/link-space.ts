import { AppError, notFound, principalId } from '@latchkey/kernel';
import { getCommunity, readOfCommunity } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { ownChannels, tellableCommunity } from './channels.ts';
import { deleteLink, selectLinks, updateChannels, upsertLink } from './queries.ts';
import { type SnapshotCreate, type SnapshotLink, type SnapshotUpdate, toLink } from './snapshot.ts';

type LinkContext = Pick<Context, 'actor' | 'clock' | 'db' | 'discord' | 'snapshot' | 'tx'>;
type Named = { communityId: string; space: string };

/** Follows a space that Snapshot knows, in channels that the community has. Doing it again sets the channels anew. */
export async function subscribeSpace(
  ctx: LinkContext,
  { communityId, body: { space, channels } }: { communityId: string; body: SnapshotCreate },
): Promise<SnapshotLink> {
  const community = await tellableCommunity(ctx, communityId);
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
  const channelIds = await ownChannels(ctx, await tellableCommunity(ctx, communityId), channels);
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

/** The id as Snapshot spells it. Without a hub there is nobody to ask; what does not exist then simply never has news. */
async function findSpace({ snapshot }: Pick<Context, 'snapshot'>, space: string): Promise<string> {
  const answer = await snapshot?.readSpace(space);
  if (answer?.kind === 'missing') throw notFound('Snapshot space');
  if (answer?.kind === 'unknown') throw new AppError('UNAVAILABLE', answer.reason, { retryAfterSeconds: 30 });
  return answer?.found.id ?? space;
}
