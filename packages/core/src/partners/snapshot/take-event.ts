import { enqueueMany, equalSecrets } from '@latchkey/db';
import { AppError, notSetUp } from '@latchkey/kernel';
import { selectWithBot } from '../../communities/community-records/index.ts';
import type { Context } from '../../shared/context.ts';
import { postProposal } from './post-proposal.ts';
import { insertEvent, insertPosts, selectListeners } from './queries.ts';
import { isSnapshotEvent, type SnapshotEvent } from './snapshot.ts';

type EventContext = Pick<Context, 'clock' | 'db' | 'settings'>;

/** Older events are not posted. Events are remembered for longer than this, so that no duplicate gets through. */
export const maxAgeSeconds = 7 * 24 * 60 * 60;
const maxAheadSeconds = 300;

/**
 * Receives an event of Snapshot: in one transaction it is stored and a message for each channel is enqueued. A
 * duplicate, or one of an unknown type, changes nothing.
 */
export async function snapshotWebhook(
  ctx: EventContext,
  { authentication, body }: { authentication?: string | undefined; body: SnapshotEvent },
): Promise<{ isNew: boolean; channels: number }> {
  checkSender(ctx, authentication);
  const now = ctx.clock();
  const ageSeconds = now.getTime() / 1000 - body.expire;
  if (ageSeconds < -maxAheadSeconds)
    throw new AppError('VALIDATION_FAILED', 'The event is in the future; check the clocks of both servers.');
  if (ageSeconds > maxAgeSeconds || !isSnapshotEvent(body.event)) return { isNew: false, channels: 0 };
  const { id, event, space } = body;
  return ctx.db.transaction('system', async (tx) => {
    const due_at = new Date(body.expire * 1000);
    if (!(await insertEvent(tx, { id, event, space, due_at, received_at: now }))) return { isNew: false, channels: 0 };
    const links = await selectListeners(tx, space);
    const reached = await selectWithBot(
      tx,
      links.map(({ community_id }) => community_id),
    );
    const listeners = links.filter(({ community_id }) => reached.has(community_id));
    const rows = listeners.flatMap(({ community_id, channel_ids }) =>
      channel_ids.map((channel_id) => ({
        event_id: id,
        event,
        channel_id,
        community_id,
        message_id: null,
        posted_at: null,
        problem: null,
      })),
    );
    const posts = await insertPosts(tx, rows);
    const jobs = posts.map(({ event_id, channel_id }) => ({
      payload: { eventId: event_id, event, channelId: channel_id },
      group: channel_id,
    }));
    return { isNew: true, channels: await enqueueMany(tx, postProposal, jobs) };
  });
}

function checkSender({ settings }: Pick<Context, 'settings'>, authentication: string | undefined): void {
  const secrets = settings.partners?.snapshotWebhookSecrets ?? [];
  if (secrets.length === 0) throw notSetUp('This server is not set up for Snapshot’s webhook.');
  if (authentication === undefined)
    throw new AppError('AUTHENTICATION_REQUIRED', 'Send the secret of the webhook in the Authentication header.');
  if (!secrets.map((secret) => equalSecrets(secret, authentication)).includes(true))
    throw new AppError('INVALID_CREDENTIAL', 'The Authentication header does not match the webhook secret.');
}
