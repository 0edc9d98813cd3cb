import { PlatformFailed } from '../../ports/index.ts';

/** Calls that the platform refuses are not retried; calls that fail temporarily are. */
export async function unlessRefused<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    return undefined;
  }
}
