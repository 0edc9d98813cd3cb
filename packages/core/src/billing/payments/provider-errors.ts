import { AppError, notSetUp } from '@latchkey/kernel';
import { PaymentsFailed, PaymentsNotAllowed, PaymentsRefused } from '../../ports/index.ts';

/** The error for a buyer when the provider fails or refuses. */
function toldToBuyer(error: unknown): unknown {
  if (error instanceof PaymentsNotAllowed)
    return notSetUp(
      'The payment provider rejects this server’s credentials. The operator must check LATCHKEY_STRIPE_SECRET_KEY.',
    );
  if (error instanceof PaymentsRefused)
    return new AppError('VALIDATION_FAILED', `The payment provider rejected the request: ${error.message}`, {
      cause: error,
    });
  if (!(error instanceof PaymentsFailed)) return error;
  const words = 'The payment provider cannot be reached right now. Nothing was charged; try again shortly.';
  return new AppError('UNAVAILABLE', words, { retryAfterSeconds: 30, cause: error });
}

export async function askingProvider<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toldToBuyer(error);
  }
}

export function notSet(what: string): AppError {
  return notSetUp(`${what} are not set up on this server.`);
}
