import { enqueueMany, type Tx } from '@latchkey/db';
import { AppError, notFound } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { announce } from '../live-updates/index.ts';
import { deliver } from './deliver.ts';
import { newDelivery, outboxRows, type WrittenEvent } from './emit.ts';
import { findEndpoints } from './endpoint.ts';
import { selectDeliveryIds, selectUnsent, startRounds } from './log-queries.ts';
import { insertDeliveries, putEvents } from './queries.ts';

/** The maximum number of deliveries that one replay starts; another call starts the rest. */
export const maxReplayed = 500;

/**
 * Sends an event again with its old id, whatever happened to it before. The schedule of attempts restarts, and jobs of
 * the earlier round do nothing.
 */
export async function redeliver(
  ctx: Pick<Context, 'tx'>,
  { clientId, deliveryId }: { clientId: string; deliveryId: string },
): Promise<void> {
  return ctx.tx(async (tx) => {
    const started = await startAgain(tx, clientId, [deliveryId]);
    if (started === 0) throw notFound('delivery');
    await requireReceiver(tx, clientId);
  });
}

/** Resends what did not arrive since a time, oldest first, and returns how many there were. */
export async function replayUnsent(
  ctx: Pick<Context, 'tx'>,
  { clientId, since }: { clientId: string; since: Date },
): Promise<{ resent: number; hasMore: boolean }> {
  return ctx.tx(async (tx) => {
    await requireReceiver(tx, clientId);
    const ids = await selectUnsent(tx, clientId, since, maxReplayed + 1);
    const resent = await startAgain(tx, clientId, ids.slice(0, maxReplayed));
    return { resent, hasMore: ids.length > maxReplayed };
  });
}

/**
 * Sends events of the owner to one application, whether they were sent to it before or not: also those from before it
 * had a webhook.
 */
export async function sendWritten(
  ctx: Pick<Context, 'clock' | 'random' | 'tx'>,
  { clientId, ownerId }: { clientId: string; ownerId: string },
  events: readonly WrittenEvent[],
): Promise<void> {
  await ctx.tx(async (tx) => {
    await requireReceiver(tx, clientId);
    await putEvents(tx, outboxRows({ ownerId }, events));
    const rows = events.map(({ id }) => newDelivery(ctx, { eventId: id, clientId, ownerId }));
    const added = await insertDeliveries(tx, rows);
    const known = await selectDeliveryIds(
      tx,
      clientId,
      events.map(({ id }) => id),
    );
    const fresh = new Set(added.map(({ id }) => id));
    await enqueueMany(
      tx,
      deliver,
      added.map(({ id }) => ({ payload: { deliveryId: id, round: 1 }, group: clientId })),
    );
    await startAgain(
      tx,
      clientId,
      known.filter((id) => !fresh.has(id)),
    );
    await announce(tx, { changed: 'deliveries', accounts: [ownerId] });
  });
}

async function startAgain(tx: Tx, clientId: string, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const started = await startRounds(tx, clientId, ids);
  await enqueueMany(
    tx,
    deliver,
    started.map(({ id, round, client_id }) => ({ payload: { deliveryId: id, round }, group: client_id })),
  );
  return started.length;
}

async function requireReceiver(tx: Tx, clientId: string): Promise<void> {
  const endpoint = (await findEndpoints(tx, [clientId])).get(clientId);
  if (endpoint?.url === undefined)
    throw new AppError('STATE_CONFLICT', 'The application has no webhook. Set its address first.');
  if (endpoint.disabledAt !== undefined)
    throw new AppError(
      'STATE_CONFLICT',
      'The webhook is switched off. Set a new address, or remove the webhook and set it again.',
    );
}
