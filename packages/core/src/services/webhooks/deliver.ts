import type { Tx } from '@latchkey/db';
import { job, observed, type RetryPolicy, scheduledRetry, shape, T, text } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { announce } from '../live-updates/index.ts';
import { attemptDelivery, type DeliveryResult, openSecrets } from './attempt.ts';
import { disableEndpoint } from './endpoint.ts';
import { insertAttempt } from './log-queries.ts';
import { type DeliveryRow, type Due, findDue, recordTry } from './queries.ts';

const minute = 60;
const hour = 60 * minute;

/**
 * The schedule that Standard Webhooks 1.0 recommends: ten attempts, the first at once, the last after a little over
 * three days.
 */
export const webhookRetry: RetryPolicy = scheduledRetry([
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]);

type DeliverContext = Pick<Context, 'db' | 'tx' | 'clock' | 'keyring' | 'egress' | 'log'>;

const Deliver = shape(
  T.Object({
    deliveryId: text('The delivery to attempt.', { maxLength: 64 }),
    round: T.Integer({ description: 'The round it belongs to; a later one supersedes it.', minimum: 1 }),
  }),
);

/**
 * Attempts to deliver an event. Skips it if it was delivered, a later round took over or the endpoint is gone, so a job
 * that runs twice sends nothing twice, unless it died between sending and recording that.
 */
export const deliver = job(
  'webhooks.deliver',
  { payload: Deliver, retry: webhookRetry, timeoutSeconds: 20, maxRunningPerGroup: 2 },
  async (ctx: DeliverContext, { deliveryId, round }, { attempt, signal }) => {
    const due = await findDue(ctx.db.system, deliveryId, round);
    if (due === undefined) return;
    if (due.url === null || due.secret === null || due.disabledAt !== null) {
      await ctx.tx(async (tx) => {
        await recordTry(tx, due, { status: 'disabled', last_reason: 'The webhook is disabled.' });
        await announceDelivery(tx, due);
      });
      return;
    }
    const { clientId, secret, oldSecret, oldSecretEndsAt } = due;
    const endpoint = { url: due.url, secrets: openSecrets(ctx, { clientId, secret, oldSecret, oldSecretEndsAt }) };
    const startedAt = ctx.clock();
    const message = { id: due.eventId, timestamp: startedAt, body: due.body };
    const result = await attemptDelivery(ctx.egress, endpoint, message, signal);
    // A worker that stops in the middle has made no attempt.
    if (result.outcome === 'retry') signal.throwIfAborted();
    const isLast = webhookRetry.delaySeconds(attempt) === undefined;
    await record(ctx, due, { url: endpoint.url, startedAt, isLast }, result);
    observed.webhookAttempt.record({ outcome: observedOutcomes[result.outcome] });
    if (result.outcome === 'retry' && !isLast) throw new Error(result.reason);
  },
);

const observedOutcomes = { delivered: 'delivered', disable: 'disabled', retry: 'failed' } as const;

async function record(
  ctx: DeliverContext,
  due: Due,
  { url, startedAt, isLast }: { url: string; startedAt: Date; isLast: boolean },
  { outcome, status, reason }: DeliveryResult,
): Promise<void> {
  const now = ctx.clock();
  const outcomes: Record<DeliveryResult['outcome'], Partial<DeliveryRow>> = {
    delivered: { status: 'delivered', delivered_at: now },
    disable: { status: 'disabled' },
    retry: { status: isLast ? 'failed' : 'pending' },
  };
  await ctx.tx(async (tx) => {
    if (outcome === 'disable' && (await disableEndpoint(ctx, tx, due.clientId, reason, url))) {
      ctx.log.info('A receiver asked to stop webhooks.', { clientId: due.clientId });
    }
    await insertAttempt(tx, {
      delivery_id: due.id,
      owner_id: due.ownerId,
      round: due.round,
      attempt: due.attempts + 1,
      status: status ?? null,
      reason,
      took_ms: Math.max(0, now.getTime() - startedAt.getTime()),
      attempted_at: startedAt,
    });
    await recordTry(tx, due, {
      ...outcomes[outcome],
      attempts: due.attempts + 1,
      last_status: status ?? null,
      last_reason: reason,
      last_attempt_at: now,
    });
    await announceDelivery(tx, due);
  });
}

function announceDelivery(tx: Tx, { clientId, ownerId }: Due): Promise<void> {
  return announce(tx, { changed: 'deliveries', id: clientId, accounts: [ownerId] });
}
