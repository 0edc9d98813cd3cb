import { sql, type Tx } from '@latchkey/db';
import type { EventType } from '@latchkey/kernel';
import type { AttemptRow, DeliveryRow, DeliveryStatus } from './queries.ts';

/** A delivery with its event. */
export type LoggedDelivery = DeliveryRow & { type: EventType };

/** The statuses of deliveries that did not arrive and are not retried. */
const unsent: readonly DeliveryStatus[] = ['failed', 'disabled'];

interface DeliveryFilter {
  clientId: string;
  status: DeliveryStatus | undefined;
}

/** Lists the deliveries to an application after `after`, newest first. */
export function selectDeliveries(
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
export function selectDelivery(
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
export function selectAttempts(tx: Tx, deliveryId: string, limit: number): Promise<AttemptRow[]> {
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
