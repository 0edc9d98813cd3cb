import {
  AppError,
  choice,
  type EventType,
  events,
  isEventType,
  op,
  pageOf,
  pageParams,
  record,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import { checkWebhook, ownApp } from '../../identity/client-apps/index.ts';
import {
  attemptFields,
  claimTest,
  getDelivery,
  listDeliveries,
  maxReplayed,
  redeliver,
  replayUnsent,
  sendTestEvent,
  WebhookDelivery,
  WebhookDeliveryDetails,
  webhookDeliveryStatuses,
} from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import type { PageRequest } from '../../shared/paging.ts';

export const testEverySeconds = 5;

const eventTypes: readonly EventType[] = Object.keys(events).filter(isEventType);

const WebhookTest = record('WebhookTest', 'A test event to send.', {
  webhookUrl: text('Where to send it; it need not be saved yet.', { maxLength: 2048 }),
  type: choice('The event to simulate.', eventTypes),
});

type WebhookTest = ValueOf<typeof WebhookTest>;

const WebhookTestResult = record('WebhookTestResult', 'The result of a test event.', {
  isDelivered: T.Boolean({ description: 'Whether the receiver answered with a status from 200 to 299.' }),
  ...attemptFields,
  body: text('The body that was sent.', { maxLength: 65_536 }),
});

type WebhookTestResult = ValueOf<typeof WebhookTestResult>;

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

const Replay = record('WebhookReplay', 'Which deliveries to send again.', {
  since: text('Only what happened since then, as an ISO 8601 time.', { format: 'date-time', maxLength: 64 }),
});

const ReplayResult = record('WebhookReplayResult', 'How many deliveries are sent again.', {
  resent: T.Integer({
    description: 'How many deliveries were started again.',
    format: 'int32',
    minimum: 0,
    maximum: 2_147_483_647,
  }),
  hasMore: T.Boolean({ description: 'Whether there are more; repeat the request to send them.' }),
});

type ReplayResult = ValueOf<typeof ReplayResult>;

export function replayDeliveries(
  ctx: Pick<Context, 'tx'>,
  { id, body }: { id: string; body: ValueOf<typeof Replay> },
): Promise<ReplayResult> {
  const since = new Date(body.since);
  if (Number.isNaN(since.getTime()))
    throw new AppError('VALIDATION_FAILED', 'since must be an ISO 8601 time such as 2026-01-31T12:00:00Z.');
  return replayUnsent(ctx, { clientId: id, since });
}

/** Resends one event and returns its current state. */
export async function resendDelivery(
  ctx: Pick<Context, 'tx'>,
  { id, deliveryId }: { id: string; deliveryId: string },
): Promise<WebhookDeliveryDetails> {
  await redeliver(ctx, { clientId: id, deliveryId });
  return getDelivery(ctx, { clientId: id, deliveryId });
}

const id = T.String({ description: 'The client id.', minLength: 1, maxLength: 128 });

const deliveryId = T.String({ description: 'The id of the delivery.', minLength: 1, maxLength: 64 });

type Status = (typeof webhookDeliveryStatuses)[number];

export const appWebhookOperations = [
  op(
    'GET /latchkey/client-apps/{id}/deliveries',
    {
      id: 'listWebhookDeliveries',
      summary: 'List webhook deliveries',
      description:
        'Returns the events that were sent to the webhook of one of your client applications in the last 30 days, newest first, with the result of each.',
      access: ownApp('id'),
      params: {
        id,
        status: T.Optional(choice('Only deliveries with this status.', webhookDeliveryStatuses)),
        ...pageParams,
      },
      returns: pageOf(WebhookDelivery, 'WebhookDeliveryPage'),
      errors: ['ENTITY_NOT_FOUND'],
      paginated: 'token',
    },
    (ctx: Context, { id: clientId, ...rest }: PageRequest & { id: string; status?: Status }) =>
      listDeliveries(ctx, { clientId, ...rest }),
  ),
  op(
    'GET /latchkey/client-apps/{id}/deliveries/{deliveryId}',
    {
      id: 'getWebhookDelivery',
      summary: 'Get a webhook delivery',
      description:
        'Returns one delivery with its body and its latest 100 attempts. Values in the body that look like secrets are masked.',
      access: ownApp('id'),
      params: { id, deliveryId },
      returns: WebhookDeliveryDetails,
      errors: ['ENTITY_NOT_FOUND'],
    },
    (ctx: Context, { id: clientId, ...rest }) => getDelivery(ctx, { clientId, ...rest }),
  ),
  op(
    'POST /latchkey/client-apps/{id}/deliveries/{deliveryId}/resend',
    {
      id: 'resendWebhookDelivery',
      summary: 'Resend a webhook delivery',
      description:
        'Sends one event again, with the same `webhook-id`, whatever its status. All attempts start over. Fails with STATE_CONFLICT if the application has no webhook, or a disabled one.',
      access: ownApp('id'),
      params: { id, deliveryId },
      returns: WebhookDeliveryDetails,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
    },
    resendDelivery,
  ),
  op(
    'POST /latchkey/client-apps/{id}/deliveries/replay',
    {
      id: 'replayWebhookDeliveries',
      summary: 'Replay failed webhook deliveries',
      description: `Resends the deliveries since a given time that failed or were skipped because the webhook was disabled: at most ${maxReplayed}, oldest first. Events that happened while the application had no webhook are not included.`,
      access: ownApp('id'),
      params: { id },
      body: Replay,
      returns: ReplayResult,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    replayDeliveries,
  ),
  op(
    'POST /latchkey/client-apps/{id}/webhook/test',
    {
      id: 'testWebhook',
      summary: 'Send a test event',
      description: `Sends a fake event to an address, saved or not, signed with the webhook secret of one of your client applications, and returns the status and the time it took. Its \`data\` contains sample values and \`isTest: true\`. It is attempted once, at most every ${testEverySeconds} seconds.`,
      access: ownApp('id'),
      params: { id },
      body: WebhookTest,
      returns: WebhookTestResult,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    testWebhook,
  ),
] as const;
