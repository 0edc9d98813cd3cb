import { AppError } from '@latchkey/kernel';
import { DeskFailed } from '../../ports/index.ts';

/** Calls the external desk, and throws an API error if it does not respond or refuses. */
export async function askDesk<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof DeskFailed)) throw error;
    const { kind, message, retryAfterSeconds = 30 } = error;
    throw kind === 'refused'
      ? new AppError('VALIDATION_FAILED', message, { cause: error })
      : new AppError('UNAVAILABLE', message, { retryAfterSeconds, cause: error });
  }
}
