import { AppError } from '@latchkey/kernel';
import { PlatformFailed } from '../../ports/index.ts';

/** Says in the API's words that Reddit did not do something. */
export function platformError(error: unknown): never {
  if (!(error instanceof PlatformFailed)) throw error;
  throw new AppError('UNAVAILABLE', error.message, { retryAfterSeconds: error.retryAfterSeconds ?? 30, cause: error });
}
