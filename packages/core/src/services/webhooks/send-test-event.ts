import { AppError, type EventType } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { attemptDelivery, type DeliveryResult } from './attempt.ts';
import { findWebhookSecrets } from './find-secret.ts';
import { sampleData } from './sample-data.ts';

interface TestEvent extends DeliveryResult {
  body: string;
  tookMs: number;
}

/**
 * Sends a test event to a URL that need not be saved yet, signed like all others. Receivers recognize it by `isTest`.
 * It is attempted once and not logged.
 */
export async function sendTestEvent(
  ctx: Pick<Context, 'clock' | 'db' | 'egress' | 'keyring' | 'random'>,
  { clientId, url, type }: { clientId: string; url: string; type: EventType },
): Promise<TestEvent> {
  const secrets = await findWebhookSecrets(ctx, clientId);
  if (secrets.length === 0)
    throw new AppError('STATE_CONFLICT', 'The application has no webhook secret yet. Rotate it once to get one.');
  const startedAt = ctx.clock();
  const data = { ...sampleData(type, clientId), isTest: true };
  const body = JSON.stringify({ type, timestamp: startedAt.toISOString(), data });
  const message = { id: `msg_test_${ctx.random.id()}`, timestamp: startedAt, body };
  const result = await attemptDelivery(ctx.egress, { url, secrets }, message);
  return { ...result, body, tookMs: Math.max(0, ctx.clock().getTime() - startedAt.getTime()) };
}
