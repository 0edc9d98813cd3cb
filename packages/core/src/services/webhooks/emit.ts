import { enqueueMany, type Tx } from '@latchkey/db';
import { type EventData, type EventType, job, shape, T, text } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { announce } from '../live-updates/index.ts';
import { deliver } from './deliver.ts';
import {
  type DeliveryRow,
  type EventRow,
  findEvent,
  findSubscribers,
  insertDeliveries,
  insertEvents,
} from './queries.ts';

export interface Emission<Type extends EventType> {
  /** The owner of the applications that may receive it. */
  ownerId: string;
  /** The application that it is about; absent if it concerns every application of the owner. */
  clientId?: string;
  /** The content for the receiver. Never a secret. */
  payload: EventData[Type];
}

type Receivers = Omit<Emission<EventType>, 'payload'>;

/** An event as text that is written once, so that every attempt signs and sends the same. */
export interface WrittenEvent {
  id: string;
  type: EventType;
  body: string;
  createdAt: Date;
}

export function writeEvent(
  { clock, random }: Pick<Context, 'clock' | 'random'>,
  type: EventType,
  data: object,
): WrittenEvent {
  const createdAt = clock();
  const body = JSON.stringify({ type, timestamp: createdAt.toISOString(), data });
  return { id: `msg_${random.id()}`, type, body, createdAt };
}

/** Emits an event in the transaction of the change: either both are committed, or neither. A worker delivers it. */
export async function emit<Type extends EventType>(
  ctx: Pick<Context, 'clock' | 'random'>,
  tx: Tx,
  type: Type,
  { payload, ...receivers }: Emission<Type>,
): Promise<{ id: string }> {
  const event = writeEvent(ctx, type, payload);
  await emitWritten(tx, receivers, [event]);
  return { id: event.id };
}

/** The same for events that are already written. */
export async function emitWritten(tx: Tx, receivers: Receivers, events: readonly WrittenEvent[]): Promise<void> {
  await insertEvents(tx, outboxRows(receivers, events));
  await enqueueMany(
    tx,
    fanOut,
    events.map(({ id }) => ({ payload: { eventId: id } })),
  );
}

export function outboxRows({ ownerId, clientId }: Receivers, events: readonly WrittenEvent[]): EventRow[] {
  return events.map(({ id, type, body, createdAt }) => ({
    id,
    type,
    body,
    owner_id: ownerId,
    client_id: clientId ?? null,
    created_at: createdAt,
  }));
}

const FanOut = shape(T.Object({ eventId: text('The event to send to its subscribers.', { maxLength: 64 }) }));

/** Creates one delivery per subscriber of an event. Running it again adds nothing. */
export const fanOut = job('webhooks.fan-out', { payload: FanOut }, (ctx: Context, { eventId }) =>
  ctx.tx(async (tx) => {
    const event = await findEvent(tx, eventId);
    if (event === undefined) return;
    const subscribers = await findSubscribers(tx, event);
    const rows = subscribers.map(({ client_id, owner_id }) =>
      newDelivery(ctx, { eventId: event.id, clientId: client_id, ownerId: owner_id }),
    );
    const added = await insertDeliveries(tx, rows);
    if (added.length > 0) await announce(tx, { changed: 'deliveries', accounts: [event.owner_id] });
    await enqueueMany(
      tx,
      deliver,
      added.map(({ id, client_id }) => ({ payload: { deliveryId: id, round: 1 }, group: client_id })),
    );
  }),
);

/** A delivery that has not been attempted. */
export function newDelivery(
  { clock, random }: Pick<Context, 'clock' | 'random'>,
  { eventId, clientId, ownerId }: { eventId: string; clientId: string; ownerId: string },
): DeliveryRow {
  return {
    id: random.id(),
    event_id: eventId,
    client_id: clientId,
    owner_id: ownerId,
    round: 1,
    attempts: 0,
    status: 'pending',
    last_status: null,
    last_reason: null,
    last_attempt_at: null,
    delivered_at: null,
    created_at: clock(),
  };
}
