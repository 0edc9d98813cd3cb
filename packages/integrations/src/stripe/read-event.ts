import type { PaymentEvent, PaymentSubject } from '@latchkey/core/ports';
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

interface SignedMessage {
  body: Uint8Array;
  signature: string;
  secret: string;
  now: Date;
}

/** Reads a message of Stripe; undefined for one with a wrong signature or of another time. */
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
  return { id: event.id, type: event.type, at: new Date(event.created * 1000), subject: subjectOf(event) };
}

function subjectOf(event: Stripe.Event): PaymentSubject | undefined {
  const kind = subjects.find(([pattern]) => pattern.test(event.type))?.[1];
  const { id: own, object, charge } = Object(event.data?.object);
  // Disputes and refunds are about the charge that they take money back of.
  const id = kind === 'charge' && object !== 'charge' ? charge : own;
  return kind !== undefined && typeof id === 'string' && id.length > 0 && id.length <= 255 ? { kind, id } : undefined;
}
