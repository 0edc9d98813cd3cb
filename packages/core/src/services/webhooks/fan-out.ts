import { enqueueMany } from '@latchkey/db';
import { job, shape, T, text } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { announce } from '../live-updates/index.ts';
import { deliver } from './deliver.ts';
import { findEvent, findSubscribers, insertDeliveries } from './queries.ts';

const FanOut = shape(T.Object({ eventId: text('The event to send to its subscribers.', { maxLength: 64 }) }));

/** Creates one delivery per subscriber of an event. Running it again adds nothing. */
export const fanOut = job('webhooks.fan-out', { payload: FanOut }, (ctx: Context, { eventId }) =>
  ctx.tx(async (tx) => {
    const event = await findEvent(tx, eventId);
    if (event === undefined) return;
    const subscribers = await findSubscribers(tx, event);
    const rows = subscribers.map(({ client_id, owner_id }) => ({
      id: ctx.random.id(),
      event_id: event.id,
      client_id,
      owner_id,
      round: 1,
      attempts: 0,
      status: 'pending' as const,
      last_status: null,
      last_reason: null,
      last_attempt_at: null,
      delivered_at: null,
      created_at: ctx.clock(),
    }));
    const added = await insertDeliveries(tx, rows);
    if (added.length > 0) await announce(tx, { changed: 'deliveries', accounts: [event.owner_id] });
    await enqueueMany(
      tx,
      deliver,
      added.map(({ id, client_id }) => ({ payload: { deliveryId: id, round: 1 }, group: client_id })),
    );
  }),
);
