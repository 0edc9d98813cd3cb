import { AppError } from '@latchkey/kernel';
import { DeskFailed } from '../../ports/index.ts';

/** Asks the outside desk, and says in the API's words when it does not answer or does not agree. */
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
