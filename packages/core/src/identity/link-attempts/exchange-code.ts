import { AppError, shape, T, text } from '@latchkey/kernel';
import { PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { refuse } from '../../shared/refuse.ts';

/** The schema of the parameters with which a browser returns from a service. */
export function returnedFrom(service: string) {
  return shape(
    T.Object({
      state: text(`The state that ${service} sent back.`, { minLength: 1, maxLength: 64 }),
      code: text(`The code that ${service} sent back.`, { minLength: 1, maxLength: 2048 }),
    }),
  );
}

/** Exchanges the code that a service returned, and throws an API error if it is not accepted. */
export async function exchangeCode<Given>(
  { log }: Pick<Context, 'log'>,
  service: string,
  exchange: () => Promise<Given>,
): Promise<Given> {
  try {
    return await exchange();
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    if (error.kind === 'unavailable')
      throw new AppError('UNAVAILABLE', `${service} is not responding. Nothing was linked; try again shortly.`, {
        retryAfterSeconds: error.retryAfterSeconds ?? 30,
        cause: error,
      });
    log.warn('A service rejected an authorization code.', { service, reason: error.message });
    if (error.kind === 'not-configured')
      throw new AppError(
        'UNAVAILABLE',
        `${service} rejects this server’s configuration. Please contact the operator.`,
        {
          retryAfterSeconds: 300,
        },
      );
    const message = `was not accepted by ${service}. Start again`;
    throw refuse('/code', message, 'refused');
  }
}
