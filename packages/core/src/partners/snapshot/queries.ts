import type { Sql, Tx } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';

export interface LinkRow {
  community_id: string;
  space: string;
  channel_ids: string[];
  created_by_id: string;
  created_at: Date;
}

interface EventRow {
  id: string;
  event: string;
  space: string;
  due_at: Date;
  received_at: Date;
}

interface PostRow {
  event_id: string;
  event: string;
  channel_id: string;
  community_id: string;
  message_id: string | null;
  posted_at: Date | null;
  problem: string | null;
}

type PostKey = Pick<PostRow, 'event_id' | 'event' | 'channel_id'>;

declare module '@latchkey/db/tables' {
  interface Tables {
    snapshot_links: LinkRow;
    snapshot_events: EventRow;
    snapshot_posts: PostRow;
  }
}

/** Returns the link; an existing one keeps its creator and creation time. */
export function upsertLink(tx: Tx, row: LinkRow): Promise<LinkRow> {
  return tx
    .insertInto('snapshot_links')
    .values(row)
    .onConflict((conflict) => conflict.columns(['community_id', 'space']).doUpdateSet({ channel_ids: row.channel_ids }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function updateChannels(
  tx: Tx,
  communityId: string,
  space: string,
  channelIds: string[],
): Promise<LinkRow | undefined> {
  return tx
    .updateTable('snapshot_links')
    .set({ channel_ids: channelIds })
    .where('community_id', '=', communityId)
    .where('space', '=', space)
    .returningAll()
    .executeTakeFirst();
}

/** Returns false if it did not exist. */
export async function deleteLink(tx: Tx, communityId: string, space: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('snapshot_links')
    .where('community_id', '=', communityId)
    .where('space', '=', space)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

export function selectLinks(tx: Tx, communityId: string): Promise<LinkRow[]> {
  return tx.selectFrom('snapshot_links').selectAll().where('community_id', '=', communityId).orderBy('space').execute();
}

/** Lists the channels that follow a space, by community. */
export function selectListeners(tx: Tx, space: string): Promise<Pick<LinkRow, 'community_id' | 'channel_ids'>[]> {
  return tx
    .selectFrom('snapshot_links')
    .select(['community_id', 'channel_ids'])
    .where('space', '=', space)
    .orderBy('community_id')
    .execute();
}

/** Returns false if the event was already stored. */
export async function insertEvent(tx: Tx, row: EventRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('snapshot_events')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

/** A channel that two communities list gets one message. */
export async function insertPosts(tx: Tx, rows: readonly PostRow[]): Promise<PostKey[]> {
  if (rows.length === 0) return [];
  return tx
    .insertInto('snapshot_posts')
    .values([...rows])
    .onConflict((conflict) => conflict.doNothing())
    .returning(['event_id', 'event', 'channel_id'])
    .execute();
}

/** Finds a pending post, with its community; undefined if it is done or given up. */
export function selectDuePost(
  db: Sql,
  { event_id, event, channel_id }: PostKey,
): Promise<{ community_id: string; space: string } | undefined> {
  return db
    .selectFrom('snapshot_posts')
    .innerJoin('snapshot_events', (join) =>
      join
        .onRef('snapshot_events.id', '=', 'snapshot_posts.event_id')
        .onRef('snapshot_events.event', '=', 'snapshot_posts.event'),
    )
    .select(['snapshot_posts.community_id', 'snapshot_events.space'])
    .where('event_id', '=', event_id)
    .where('snapshot_posts.event', '=', event)
    .where('channel_id', '=', channel_id)
    .where('posted_at', 'is', null)
    .where('problem', 'is', null)
    .executeTakeFirst();
}

export async function updatePost(
  db: Sql,
  { event_id, event, channel_id }: PostKey,
  change: Partial<Pick<PostRow, 'message_id' | 'posted_at' | 'problem'>>,
): Promise<void> {
  await db
    .updateTable('snapshot_posts')
    .set(change)
    .where('event_id', '=', event_id)
    .where('event', '=', event)
    .where('channel_id', '=', channel_id)
    .execute();
}

export async function deleteEventsBefore(db: Sql, oldest: Date): Promise<void> {
  await db.deleteFrom('snapshot_events').where('received_at', '<', oldest).execute();
}

/** Deletes who linked a space; the link belongs to the community. */
export const snapshotErasure: Erasure = {
  columns: ['snapshot_links.created_by_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    await tx
      .updateTable('snapshot_links')
      .set({ created_by_id: pseudonym })
      .where('created_by_id', '=', userId)
      .execute();
  },
};
