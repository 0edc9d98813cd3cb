import { sql, type Tx } from '@latchkey/db';
import {
  choice,
  type EventType,
  events,
  isEventType,
  notFound,
  type Page,
  record,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import type { AttemptRow, DeliveryRow, DeliveryStatus } from './queries.ts';

/** A delivery with its event. */
type LoggedDelivery = DeliveryRow & { type: EventType };

/** The statuses of deliveries that did not arrive and are not retried. */
const unsent: readonly DeliveryStatus[] = ['failed', 'disabled'];

interface DeliveryFilter {
  clientId: string;
  status: DeliveryStatus | undefined;
}

/** Lists the deliveries to an application after `after`, newest first. */
function selectDeliveries(
  tx: Tx,
  { clientId, status }: DeliveryFilter,
  after: readonly string[] | undefined,
  limit: number,
): Promise<LoggedDelivery[]> {
  let query = tx
    .selectFrom('webhook_deliveries as d')
    .innerJoin('events as e', 'e.id', 'd.event_id')
    .selectAll('d')
    .select('e.type')
    .where('d.client_id', '=', clientId);
  if (status !== undefined) query = query.where('d.status', '=', status);
  if (after !== undefined) {
    const [createdAt, id] = after;
    query = query.where(sql<boolean>`(d.created_at, d.id) < (${createdAt}::timestamptz, ${id})`);
  }
  return query.orderBy('d.created_at', 'desc').orderBy('d.id', 'desc').limit(limit).execute();
}

/** Finds one delivery to an application, with the text that is sent. */
function selectDelivery(
  tx: Tx,
  clientId: string,
  id: string,
): Promise<(LoggedDelivery & { body: string }) | undefined> {
  return tx
    .selectFrom('webhook_deliveries as d')
    .innerJoin('events as e', 'e.id', 'd.event_id')
    .selectAll('d')
    .select(['e.type', 'e.body'])
    .where('d.id', '=', id)
    .where('d.client_id', '=', clientId)
    .executeTakeFirst();
}

/** Lists the attempts of a delivery, newest first. */
function selectAttempts(tx: Tx, deliveryId: string, limit: number): Promise<AttemptRow[]> {
  return tx
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_id', '=', deliveryId)
    .orderBy('round', 'desc')
    .orderBy('attempt', 'desc')
    .limit(limit)
    .execute();
}

/** A job that runs twice records its attempt once. */
export async function insertAttempt(tx: Tx, row: AttemptRow): Promise<void> {
  await tx
    .insertInto('webhook_attempts')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Finds the oldest deliveries since a time that did not arrive and are not retried. */
export async function selectUnsent(tx: Tx, clientId: string, since: Date, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('client_id', '=', clientId)
    .where('status', 'in', unsent)
    .where('created_at', '>=', since)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute();
  return rows.map(({ id }) => id);
}

/** Finds the deliveries of these events to an application. */
export async function selectDeliveryIds(tx: Tx, clientId: string, eventIds: readonly string[]): Promise<string[]> {
  const rows = await tx
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('client_id', '=', clientId)
    .where('event_id', '=', (eb) => eb.fn.any(eb.val([...eventIds])))
    .execute();
  return rows.map(({ id }) => id);
}

/** Starts a new round of deliveries to an application and returns the started ones. */
export function startRounds(
  tx: Tx,
  clientId: string,
  ids: readonly string[],
): Promise<{ id: string; round: number; client_id: string }[]> {
  return tx
    .updateTable('webhook_deliveries')
    .set((eb) => ({ round: eb('round', '+', 1), status: 'pending', attempts: 0, delivered_at: null }))
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .where('client_id', '=', clientId)
    .returning(['id', 'round', 'client_id'])
    .execute();
}

type ReadContext = Pick<Context, 'actor' | 'clock' | 'keyring' | 'random' | 'tx'>;

const maxAttemptsShown = 100;

/** Lists the deliveries to an application, newest first. Another owner's application has none. */
export async function listDeliveries(
  ctx: ReadContext,
  { clientId, status, ...page }: PageRequest & { clientId: string; status?: DeliveryStatus | undefined },
): Promise<Page<WebhookDelivery>> {
  return ctx.tx(async (tx) => {
    const { items, ...rest } = await paginate(ctx, page, {
      list: `deliveries:${clientId}:${status ?? 'all'}`,
      read: (after, limit) => selectDeliveries(tx, { clientId, status }, after, limit),
      cursorOf: ({ created_at, id }) => [created_at.toISOString(), id],
    });
    return { ...rest, items: items.map(toDelivery) };
  });
}

/** Returns one delivery with its body and the result of each attempt. */
export async function getDelivery(
  ctx: Pick<Context, 'tx'>,
  { clientId, deliveryId }: { clientId: string; deliveryId: string },
): Promise<WebhookDeliveryDetails> {
  return ctx.tx(async (tx) => {
    const row = await selectDelivery(tx, clientId, deliveryId);
    if (row === undefined) throw notFound('delivery');
    const attempts = await selectAttempts(tx, row.id, maxAttemptsShown);
    return {
      ...toDelivery(row),
      body: maskSecrets(row.body),
      log: attempts.map(({ attempted_at, status, reason, took_ms }) => ({
        attemptedAt: attempted_at.toISOString(),
        status: status ?? undefined,
        reason,
        tookMs: took_ms,
      })),
    };
  });
}

function toDelivery(row: LoggedDelivery): WebhookDelivery {
  return {
    id: row.id,
    eventId: row.event_id,
    type: row.type,
    status: row.status,
    attempts: row.attempts,
    lastStatus: row.last_status ?? undefined,
    lastReason: row.last_reason ?? undefined,
    lastAttemptAt: row.last_attempt_at?.toISOString(),
    deliveredAt: row.delivered_at?.toISOString(),
    createdAt: row.created_at.toISOString(),
  };
}

// The formats of our own secrets: client secrets and tokens, webhook secrets, API keys.
const secretForms = /\blk_[a-z]{2}_[\w+/=-]{8,}|\bwhsec_[\w+/=-]{8,}|\b[0-9A-Za-z]{12,40}\.[0-9A-Za-z]{32,64}\b/g;

/** Events contain no secrets. If one ever did, the delivery log must not show it. */
function maskSecrets(text: string): string {
  return text.replace(secretForms, '[masked]');
}

export const webhookDeliveryStatuses = ['pending', 'delivered', 'failed', 'disabled'] as const;

const eventTypes: readonly EventType[] = Object.keys(events).filter(isEventType);

const fields = {
  id: text('The id of the delivery.', { maxLength: 64 }),
  eventId: text('The id that the receiver sees as webhook-id, the same on every attempt.', { maxLength: 64 }),
  type: choice('What happened.', eventTypes),
  status: choice(
    'pending: retried automatically. delivered: accepted by the receiver. failed: the last attempt failed. disabled: not sent because the webhook is disabled or was removed.',
    webhookDeliveryStatuses,
  ),
  attempts: T.Integer({
    description: 'How many attempts were made since it was last sent manually.',
    format: 'int32',
    minimum: 0,
    maximum: 2_147_483_647,
  }),
  lastStatus: T.Optional(
    T.Integer({
      description: 'The HTTP status of the last response, if there was one.',
      format: 'int32',
      minimum: 100,
      maximum: 599,
    }),
  ),
  lastReason: T.Optional(text('The result of the last attempt, in a sentence.', { maxLength: 2000 })),
  lastAttemptAt: T.Optional(text('When it was last attempted, as an ISO 8601 time.', { maxLength: 32 })),
  deliveredAt: T.Optional(text('When it arrived, as an ISO 8601 time.', { maxLength: 32 })),
  createdAt: text('When the event happened, as an ISO 8601 time.', { maxLength: 32 }),
};

export const WebhookDelivery = record(
  'WebhookDelivery',
  'One event to be delivered to an application’s webhook.',
  fields,
);

export type WebhookDelivery = ValueOf<typeof WebhookDelivery>;

/** The result of one attempt to deliver an event. */
export const attemptFields = {
  status: T.Optional(
    T.Integer({
      description: 'The HTTP status of the response, if there was one.',
      format: 'int32',
      minimum: 100,
      maximum: 599,
    }),
  ),
  reason: text('The result, in a sentence.', { maxLength: 2000 }),
  tookMs: T.Integer({
    description: 'How long it took, in milliseconds.',
    format: 'int32',
    minimum: 0,
    maximum: 2_147_483_647,
  }),
};

const WebhookAttempt = record('WebhookAttempt', 'One attempt to deliver an event.', {
  attemptedAt: text('When it was attempted, as an ISO 8601 time.', { maxLength: 32 }),
  ...attemptFields,
});

export const WebhookDeliveryDetails = record(
  'WebhookDeliveryDetails',
  'One event to be delivered to an application’s webhook, with what is sent and every attempt.',
  {
    ...fields,
    body: text('The body that is sent. Values that look like secrets are masked.', { maxLength: 1_048_576 }),
    log: T.Array(WebhookAttempt, { description: 'The latest 100 attempts, newest first.', maxItems: 100 }),
  },
);

export type WebhookDeliveryDetails = ValueOf<typeof WebhookDeliveryDetails>;
