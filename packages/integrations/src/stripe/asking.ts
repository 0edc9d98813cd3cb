import { Malformed } from '@latchkey/adapter-kit';
import { CustomerGone, PaymentsFailed, PaymentsNotAllowed, PaymentsRefused } from '@latchkey/core/ports';
import { observed } from '@latchkey/kernel';
import Stripe from 'stripe';

/** Runs calls to Stripe and converts its errors to those of the interface: retryable or permanent. */
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

/** Either our own checks failed, or the library itself on responses that violate the published format. */
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

/** Stripe's message can repeat the request, so keys and email addresses are removed from it. */
function withoutSecrets(message: string): string {
  return message
    .replace(/\b(?:sk|rk|pk|whsec)_[\w*]+/g, '…')
    .replace(/\bhttps?:\/\/\S+/g, '…')
    .slice(0, longestReason);
}
