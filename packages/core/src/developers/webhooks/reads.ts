import { notFound, type Page } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type PageRequest, paginate } from '../../paging.ts';
import type { WebhookDelivery, WebhookDeliveryDetails } from './delivery.ts';
import { type LoggedDelivery, selectAttempts, selectDeliveries, selectDelivery } from './log-queries.ts';
import { maskSecrets } from './mask-secrets.ts';
import type { DeliveryStatus } from './queries.ts';

type ReadContext = Pick<Context, 'actor' | 'clock' | 'keyring' | 'random' | 'tx'>;

const maxAttemptsShown = 100;

/** The deliveries to an application, newest first. A stranger's application has none. */
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

/** One delivery with what is sent and how each attempt ended. */
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
