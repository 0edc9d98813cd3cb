import { choice, type EventType, events, isEventType, record, T, text, type ValueOf } from '@latchkey/kernel';

export const webhookDeliveryStatuses = ['pending', 'delivered', 'failed', 'disabled'] as const;

const eventTypes: readonly EventType[] = Object.keys(events).filter(isEventType);

const fields = {
  id: text('The id of the delivery.', { maxLength: 64 }),
  eventId: text('The id that the receiver sees as webhook-id, the same on every attempt.', { maxLength: 64 }),
  type: choice('What happened.', eventTypes),
  status: choice(
    'pending is tried again by itself; delivered arrived; failed was given up after the last attempt; disabled was not sent because the webhook is switched off or gone.',
    webhookDeliveryStatuses,
  ),
  attempts: T.Integer({
    description: 'How often it was tried since it was last sent by hand.',
    format: 'int32',
    minimum: 0,
    maximum: 2_147_483_647,
  }),
  lastStatus: T.Optional(
    T.Integer({
      description: 'The HTTP status of the last answer, if there was one.',
      format: 'int32',
      minimum: 100,
      maximum: 599,
    }),
  ),
  lastReason: T.Optional(text('What came of the last attempt, in a sentence.', { maxLength: 2000 })),
  lastAttemptAt: T.Optional(text('When it was last tried, as an ISO 8601 time.', { maxLength: 32 })),
  deliveredAt: T.Optional(text('When it arrived, as an ISO 8601 time.', { maxLength: 32 })),
  createdAt: text('When the event happened, as an ISO 8601 time.', { maxLength: 32 }),
};

export const WebhookDelivery = record(
  'WebhookDelivery',
  'One event on its way to the webhook of an application.',
  fields,
);
export type WebhookDelivery = ValueOf<typeof WebhookDelivery>;

const WebhookAttempt = record('WebhookAttempt', 'One try to deliver an event.', {
  attemptedAt: text('When it was tried, as an ISO 8601 time.', { maxLength: 32 }),
  status: T.Optional(
    T.Integer({
      description: 'The HTTP status of the answer, if there was one.',
      format: 'int32',
      minimum: 100,
      maximum: 599,
    }),
  ),
  reason: text('What came of it, in a sentence.', { maxLength: 2000 }),
  tookMs: T.Integer({
    description: 'How long it took, in milliseconds.',
    format: 'int32',
    minimum: 0,
    maximum: 2_147_483_647,
  }),
});

export const WebhookDeliveryDetails = record(
  'WebhookDeliveryDetails',
  'One event on its way to the webhook of an application, with what is sent and every attempt.',
  {
    ...fields,
    body: text('The body that is sent. What looks like a secret is masked here.', { maxLength: 1_048_576 }),
    log: T.Array(WebhookAttempt, { description: 'The latest 100 attempts, newest first.', maxItems: 100 }),
  },
);
export type WebhookDeliveryDetails = ValueOf<typeof WebhookDeliveryDetails>;
