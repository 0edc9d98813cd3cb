import { Malformed } from '@latchkey/adapter-kit';
import { CustomerGone, PaymentsFailed, PaymentsNotAllowed, PaymentsRefused } from '@latchkey/core/ports';
import { observed } from '@latchkey/kernel';
import Stripe from 'stripe';

/** Turns what Stripe says into the port's errors: what may work later, and what will not. */
export async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) throw translate(error);
    if (!isMalformed(error)) throw error;
    observed.malformedEntry.record({ source: 'stripe', kind: 'answer' });
    const reason = error instanceof Malformed ? `: ${error.message}` : '';
    throw new PaymentsFailed(`Stripe sent an unexpected response${reason}.`);
  }
}

/** Our own checks, or the library itself, which trips over answers that are not of the published form. */
function isMalformed(error: unknown): boolean {
  if (error instanceof Malformed || error instanceof TypeError) return true;
  return error instanceof Error && error.message.startsWith('Unexpected: Stripe API response');
}

export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 404) return undefined;
    throw error;
  }
}

type StripeError = InstanceType<typeof Stripe.errors.StripeError>;

function translate(error: StripeError): Error {
  const { errors } = Stripe;
  if (error instanceof errors.StripeAuthenticationError || error instanceof errors.StripePermissionError)
    return new PaymentsNotAllowed('Stripe rejected this server’s secret key for this request.');
  // 409: another request with the same idempotency key is still in progress.
  const isFinal =
    error instanceof errors.StripeInvalidRequestError ||
    error instanceof errors.StripeCardError ||
    error instanceof errors.StripeIdempotencyError;
  if (!isFinal || error.statusCode === 409)
    return new PaymentsFailed(`Stripe answered ${error.type}${error.statusCode ? ` (${error.statusCode})` : ''}.`);
  const reason = withoutSecrets(error.message);
  if (error.code === 'resource_missing' && error.param === 'customer') return new CustomerGone(reason);
  return new PaymentsRefused(reason);
}

const longestReason = 300;

/** Stripe can repeat what it was sent: no key and no address leaves with its reason. */
function withoutSecrets(message: string): string {
  return message
    .replace(/\b(?:sk|rk|pk|whsec)_[\w*]+/g, '…')
    .replace(/\bhttps?:\/\/\S+/g, '…')
    .slice(0, longestReason);
}
