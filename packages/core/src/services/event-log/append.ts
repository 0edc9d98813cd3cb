import { publish, type Tx } from '@latchkey/db';
import type { EventData, EventType } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { emitWritten, mayHaveListeners, writeEvent } from '../webhooks/index.ts';
import { insertEvents } from './queries.ts';

/** The events of communities: all whose data names one. */
export type CommunityEventType = {
  [Type in EventType]: EventData[Type] extends { communityId: string } ? Type : never;
}[EventType];

/** One event in one community. */
export interface CommunityEvent<Type extends CommunityEventType = CommunityEventType> {
  community: { id: string; owner_id: string };
  /** The member that it is about, if it is a single one. Their id becomes the `userId` of the data. */
  memberId?: string;
  /** What the reader gets besides the community and the member. Never a secret. */
  data?: Omit<EventData[Type], 'communityId' | 'userId'>;
}

/** Where open streams hear that there may be new events. */
export const topic = 'community-events';

const mostCommunities = 100;

/**
 * Appends events of one type to the logs of their communities, in the transaction of the change that they report, and
 * sends them to the webhooks of the owner's applications. To keep the events of one object in order, call this after
 * the change itself: its lock makes a later change wait.
 */
export async function appendEvents<Type extends CommunityEventType>(
  ctx: Pick<Context, 'clock' | 'random'>,
  tx: Tx,
  type: Type,
  events: readonly CommunityEvent<Type>[],
): Promise<void> {
  if (events.length === 0) return;
  const written = events.map(({ community, memberId, data }) => {
    const payload = { communityId: community.id, ...(memberId !== undefined && { userId: memberId }), ...data };
    return { community, memberId, event: writeEvent(ctx, type, payload) };
  });
  await insertEvents(tx, written);
  for (const [ownerId, own] of Map.groupBy(written, ({ community }) => community.owner_id))
    if (await mayHaveListeners(tx, ownerId, type))
      await emitWritten(
        tx,
        { ownerId },
        own.map(({ event }) => event),
      );
  const communities = [...new Set(events.map(({ community }) => community.id))];
  for (let at = 0; at < communities.length; at += mostCommunities)
    await publish(tx, topic, { communities: communities.slice(at, at + mostCommunities) });
}
