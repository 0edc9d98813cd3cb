import { type Sealed, type Sql, sql, type Tx } from '@latchkey/db';
import type { EventType } from '@latchkey/kernel';
import type { Erasure, SealedColumn } from '../../shared/module.ts';

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'disabled';

export interface EndpointRow {
  client_id: string;
  owner_id: string;
  url: string | null;
  secret: Sealed;
  subscribe_events: string[];
  created_at: Date;
  disabled_at: Date | null;
  disabled_reason: string | null;
  retired_at: Date | null;
  /** Also signs until it ends. */
  old_secret: Sealed | null;
  old_secret_ends_at: Date | null;
  /** When its owner last sent a test event. */
  tested_at: Date | null;
}

export interface EventRow {
  id: string;
  type: EventType;
  owner_id: string;
  client_id: string | null;
  body: string;
  created_at: Date;
}

export interface DeliveryRow {
  id: string;
  event_id: string;
  client_id: string;
  owner_id: string;
  round: number;
  attempts: number;
  status: DeliveryStatus;
  last_status: number | null;
  last_reason: string | null;
  last_attempt_at: Date | null;
  delivered_at: Date | null;
  created_at: Date;
}

/** One attempt of a delivery. */
export interface AttemptRow {
  delivery_id: string;
  owner_id: string;
  round: number;
  attempt: number;
  status: number | null;
  reason: string;
  took_ms: number;
  attempted_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    webhook_endpoints: EndpointRow;
    events: EventRow;
    webhook_deliveries: DeliveryRow;
    webhook_attempts: AttemptRow;
  }
}

export async function insertEvents(tx: Tx, events: readonly EventRow[]): Promise<void> {
  if (events.length > 0)
    await tx
      .insertInto('events')
      .values([...events])
      .execute();
}

/** The same, leaving those that are already there. */
export async function putEvents(tx: Tx, events: readonly EventRow[]): Promise<void> {
  if (events.length === 0) return;
  await tx
    .insertInto('events')
    .values([...events])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export function findEvent(tx: Tx, id: string): Promise<EventRow | undefined> {
  return tx.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds the subscribers of an event: the application it is about, or every existing application of the owner. */
export function findSubscribers(tx: Tx, event: EventRow): Promise<Pick<EndpointRow, 'client_id' | 'owner_id'>[]> {
  const query = tx
    .selectFrom('webhook_endpoints')
    .select(['client_id', 'owner_id'])
    .where('owner_id', '=', event.owner_id)
    .where('disabled_at', 'is', null)
    .where(sql<boolean>`${event.type} = any(subscribe_events)`);
  // An event about a deleted application was written while it existed, so its endpoint still gets it.
  return event.client_id === null
    ? query.where('retired_at', 'is', null).execute()
    : query.where('client_id', '=', event.client_id).execute();
}

/**
 * Whether any application of the owner may subscribe to such events, so that thousands of unused ones need not be
 * emitted. Another user's transaction cannot see the owner's applications.
 */
export async function mayHaveListeners(tx: Tx, ownerId: string, type: EventType): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select coalesce(current_tenant(), '') not in ('', ${ownerId}) or exists (
      select from webhook_endpoints
      where owner_id = ${ownerId} and disabled_at is null and retired_at is null and ${type} = any(subscribe_events)
    ) as found`.execute(tx);
  return rows[0]?.found === true;
}

/** Adds deliveries and returns the new ones: an event has one row per receiver, however often this runs. */
export function insertDeliveries(tx: Tx, rows: readonly DeliveryRow[]): Promise<{ id: string; client_id: string }[]> {
  if (rows.length === 0) return Promise.resolve([]);
  return tx
    .insertInto('webhook_deliveries')
    .values([...rows])
    .onConflict((conflict) => conflict.columns(['event_id', 'client_id']).doNothing())
    .returning(['id', 'client_id'])
    .execute();
}

/** A delivery to attempt, with its content and target. */
export interface Due {
  id: string;
  round: number;
  attempts: number;
  eventId: string;
  clientId: string;
  ownerId: string;
  body: string;
  /** Null if the endpoint is gone. */
  url: string | null;
  secret: Sealed | null;
  oldSecret: Sealed | null;
  oldSecretEndsAt: Date | null;
  disabledAt: Date | null;
}

/** Finds a delivery, if it is still pending and in the given round. */
export function findDue(db: Sql, id: string, round: number): Promise<Due | undefined> {
  return db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('events as e', 'e.id', 'd.event_id')
    .leftJoin('webhook_endpoints as w', 'w.client_id', 'd.client_id')
    .select(['d.id', 'd.round', 'd.attempts', 'd.event_id as eventId', 'd.client_id as clientId', 'e.body'])
    .select(['d.owner_id as ownerId', 'w.url', 'w.secret', 'w.disabled_at as disabledAt'])
    .select(['w.old_secret as oldSecret', 'w.old_secret_ends_at as oldSecretEndsAt'])
    .where('d.id', '=', id)
    .where('d.round', '=', round)
    .where('d.status', '=', 'pending')
    .executeTakeFirst();
}

/** Records how an attempt of one round ended, unless the delivery has ended otherwise meanwhile. */
export async function recordTry(tx: Tx, of: Pick<Due, 'id' | 'round'>, changes: Partial<DeliveryRow>): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set(changes)
    .where('id', '=', of.id)
    .where('round', '=', of.round)
    .where('status', '=', 'pending')
    .execute();
}

/** Deletes up to `limit` events from before a time, with their deliveries, and returns how many there were. */
export async function deleteOldEvents(db: Sql, before: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('events')
    .where('id', 'in', (eb) => eb.selectFrom('events').select('id').where('created_at', '<', before).limit(limit))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Deletes the endpoints of applications that were deleted before a time. */
export async function deleteRetiredEndpoints(db: Sql, before: Date): Promise<void> {
  await db.deleteFrom('webhook_endpoints').where('retired_at', '<', before).execute();
}

/** The sealed columns of this feature, for a change of the master key. */
export const webhooksSealed: readonly SealedColumn[] = [
  {
    table: 'webhook_endpoints',
    column: 'secret',
    idColumns: ['client_id'],
    placeOf: (clientId = '') => secretPlace(clientId),
  },
  {
    table: 'webhook_endpoints',
    column: 'old_secret',
    idColumns: ['client_id'],
    placeOf: (clientId = '') => oldSecretPlace(clientId),
  },
];

/** Returns the context that a secret is sealed for; its ciphertext cannot be decrypted elsewhere. */
export function secretPlace(clientId: string): string {
  return `webhook_endpoints.secret:${clientId}`;
}

export function oldSecretPlace(clientId: string): string {
  return `webhook_endpoints.old_secret:${clientId}`;
}

/** Deletes the webhooks of a user's applications, and every event of theirs. */
export const webhooksErasure: Erasure = {
  columns: [
    'webhook_endpoints.owner_id',
    'events.owner_id',
    'webhook_deliveries.owner_id',
    'webhook_attempts.owner_id',
  ],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('webhook_attempts').where('owner_id', '=', userId).execute();
    await tx.deleteFrom('webhook_deliveries').where('owner_id', '=', userId).execute();
    await tx.deleteFrom('events').where('owner_id', '=', userId).execute();
    await tx.deleteFrom('webhook_endpoints').where('owner_id', '=', userId).execute();
  },
};

/**
 * Deletes events of other owners that mention a user, such as a role that was granted. Delivered events cannot be
 * recalled.
 */
export const eventsErasure: Erasure = {
  columns: ['events.body'],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId }) => {
    // As a JSON string: a longer id that starts with this one belongs to another user.
    await sql`delete from events where strpos(body, ${JSON.stringify(userId)}) > 0`.execute(tx);
  },
};

/** The metrics of failed webhooks: rows of (metric, label, value), combined over all modules in one statement. */
export const webhookMetrics = sql`
  select 'webhook-deliveries' as metric, status as label, count(*)::float8 as value from webhook_deliveries
    where status in ('failed', 'disabled') group by status
  union all
  select 'disabled-webhooks', '', count(*) from webhook_endpoints where disabled_at is not null and retired_at is null`;
