import type { EventType } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type DeliveryStatus, listDeliveriesOf } from './queries.ts';

/** One line of the delivery log. */
export interface Delivery {
  id: string;
  /** The id that the receiver sees, the same on every attempt. */
  eventId: string;
  type: EventType;
  status: DeliveryStatus;
  attempts: number;
  lastStatus: number | undefined;
  lastReason: string | undefined;
  lastAttemptAt: Date | undefined;
  deliveredAt: Date | undefined;
  createdAt: Date;
}

const maxListed = 200;

/** The latest deliveries to an application, newest first. A stranger's application has none. */
export async function listDeliveries(ctx: Pick<Context, 'tx'>, clientId: string): Promise<Delivery[]> {
  return ctx.tx(async (tx) => {
    const rows = await listDeliveriesOf(tx, clientId, maxListed);
    return rows.map((row) => ({
      id: row.id,
      eventId: row.event_id,
      type: row.type,
      status: row.status,
      attempts: row.attempts,
      lastStatus: row.last_status ?? undefined,
      lastReason: row.last_reason ?? undefined,
      lastAttemptAt: row.last_attempt_at ?? undefined,
      deliveredAt: row.delivered_at ?? undefined,
      createdAt: row.created_at,
    }));
  });
}
