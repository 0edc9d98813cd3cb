import { AppError, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { getDelivery, redeliver, replayUnsent, type WebhookDeliveryDetails } from '../webhooks/index.ts';

export const Replay = record('WebhookReplay', 'Which deliveries to send again.', {
  since: text('Only what happened since then, as an ISO 8601 time.', { format: 'date-time', maxLength: 64 }),
});

export const ReplayResult = record('WebhookReplayResult', 'How many deliveries are sent again.', {
  resent: T.Integer({
    description: 'How many deliveries were started again.',
    format: 'int32',
    minimum: 0,
    maximum: 2_147_483_647,
  }),
  hasMore: T.Boolean({ description: 'Whether there are more; ask again for them.' }),
});
export type ReplayResult = ValueOf<typeof ReplayResult>;

export function replayDeliveries(
  ctx: Pick<Context, 'tx'>,
  { id, body }: { id: string; body: ValueOf<typeof Replay> },
): Promise<ReplayResult> {
  const since = new Date(body.since);
  if (Number.isNaN(since.getTime()))
    throw new AppError('VALIDATION_FAILED', 'since must be an ISO 8601 time such as 2026-01-31T12:00:00Z.');
  return replayUnsent(ctx, { clientId: id, since });
}

/** Sends one event again and shows how it stands now. */
export async function resendDelivery(
  ctx: Pick<Context, 'tx'>,
  { id, deliveryId }: { id: string; deliveryId: string },
): Promise<WebhookDeliveryDetails> {
  await redeliver(ctx, { clientId: id, deliveryId });
  return getDelivery(ctx, { clientId: id, deliveryId });
}
