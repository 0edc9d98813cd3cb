import { AppError, choice, type EventType, events, isEventType, record, T, text, type ValueOf } from '@latchkey/kernel';
import { checkWebhook } from '../../identity/client-apps/index.ts';
import { attemptFields, claimTest, sendTestEvent } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';

export const testEverySeconds = 5;

const eventTypes: readonly EventType[] = Object.keys(events).filter(isEventType);

export const WebhookTest = record('WebhookTest', 'A test event to send.', {
  webhookUrl: text('Where to send it; it need not be saved yet.', { maxLength: 2048 }),
  type: choice('The event to simulate.', eventTypes),
});
export type WebhookTest = ValueOf<typeof WebhookTest>;

export const WebhookTestResult = record('WebhookTestResult', 'The result of a test event.', {
  isDelivered: T.Boolean({ description: 'Whether the receiver answered with a status from 200 to 299.' }),
  ...attemptFields,
  body: text('The body that was sent.', { maxLength: 65_536 }),
});
export type WebhookTestResult = ValueOf<typeof WebhookTestResult>;

/** Tests a webhook before it is saved. Limited, so that this server cannot be abused to flood others. */
export async function testWebhook(
  ctx: Context,
  { id, body }: { id: string; body: WebhookTest },
): Promise<WebhookTestResult> {
  const { url } = checkWebhook({ webhookUrl: body.webhookUrl });
  const before = new Date(ctx.clock().getTime() - testEverySeconds * 1000);
  if (!(await ctx.tx((tx) => claimTest(ctx, tx, id, before))))
    throw new AppError(
      'STATE_CONFLICT',
      `Wait ${testEverySeconds} seconds between two test events. An application without a webhook secret needs one first.`,
    );
  const {
    outcome,
    status,
    reason,
    tookMs,
    body: sent,
  } = await sendTestEvent(ctx, { clientId: id, url, type: body.type });
  return { isDelivered: outcome === 'delivered', status, reason, tookMs, body: sent };
}
