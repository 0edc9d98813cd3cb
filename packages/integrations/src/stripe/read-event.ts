import type { PaymentEvent, PaymentSubject } from '@latchkey/core/ports';
import { T, text } from '@latchkey/kernel';
import { validatorOf } from '@latchkey/kernel/validate';
import Stripe from 'stripe';

/** Messages are about now, give or take so much; Stripe's library looks at old ones only. */
const toleranceSeconds = 300;

/** What each kind of event is about. Others change nothing here. */
const subjects: readonly [pattern: RegExp, kind: PaymentSubject['kind']][] = [
  [/^customer\.subscription\./, 'subscription'],
  [/^checkout\.session\.(completed|async_payment_succeeded|async_payment_failed|expired)$/, 'checkout'],
  [/^invoice\.(paid|payment_succeeded|payment_failed|voided|marked_uncollectible)$/, 'invoice'],
  [/^charge\.(refunded|refund\.updated|dispute\.\w+)$/, 'charge'],
];

/** The fields of an event that are used. Stripe adds fields whenever it likes, so unknown fields pass. */
const EventBody = T.Object({
  id: text('The id of the event.', { minLength: 1, maxLength: 255 }),
  type: text('What happened.', { minLength: 1, maxLength: 255 }),
  created: T.Integer({ minimum: 0, maximum: 8_640_000_000_000 }),
});
const readBody = validatorOf(EventBody, { what: 'The event', unknownFields: 'ignore' });

interface SignedMessage {
  body: Uint8Array;
  signature: string;
  secret: string;
  now: Date;
}

/**
 * Reads a message of Stripe; undefined for one with a wrong signature or of another time. Throws VALIDATION_FAILED for one
 * that is signed and no event: a 4xx makes Stripe send it again and tell its owner.
 */
export function readStripeEvent(
  stripe: Stripe,
  { body, signature, secret, now }: SignedMessage,
): PaymentEvent | undefined {
  const nowSeconds = Math.floor(now.getTime() / 1000);
  const sentAt = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature)?.[1]);
  if (!(Math.abs(nowSeconds - sentAt) <= toleranceSeconds)) return undefined;
  let event: Stripe.Event;
  try {
    const text = Buffer.from(body);
    event = stripe.webhooks.constructEvent(text, signature, secret, toleranceSeconds, undefined, now.getTime());
  } catch (error) {
    // Signed by Stripe's secret, yet no JSON: as good as not signed.
    if (error instanceof Stripe.errors.StripeSignatureVerificationError || error instanceof SyntaxError)
      return undefined;
    throw error;
  }
  const { id, type, created } = readBody(event);
  return { id, type, at: new Date(created * 1000), subject: subjectOf(event) };
}

function subjectOf(event: Stripe.Event): PaymentSubject | undefined {
  const kind = subjects.find(([pattern]) => pattern.test(event.type))?.[1];
  const { id: own, object, charge } = Object(event.data?.object);
  // Disputes and refunds are about the charge that they take money back of.
  const id = kind === 'charge' && object !== 'charge' ? charge : own;
  return kind !== undefined && typeof id === 'string' && id.length > 0 && id.length <= 255 ? { kind, id } : undefined;
}
