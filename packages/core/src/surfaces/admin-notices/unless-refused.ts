import { PlatformFailed } from '../../ports/index.ts';

/** What the platform does not allow is not tried again; what it cannot do now is. */
export async function unlessRefused<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    return undefined;
  }
}
