import { setTimeout as delay } from 'node:timers/promises';
import { isUnavailable, tryConnection } from '@latchkey/db';
import type { Log } from '@latchkey/kernel';

export interface Patience {
  seconds: number;
  signal?: AbortSignal | undefined;
}

const pauseMs = 1_000;
const sayEveryMs = 15_000;

/**
 * Waits until a database accepts connections, as long as it may still be starting, and logs that. Does not wait if the
 * password or name is wrong. After the timeout, the caller's own attempt reports the error.
 */
export async function waitForDatabase(url: string, log: Log, { seconds, signal }: Patience): Promise<void> {
  const startedMs = performance.now();
  let saidMs: number | undefined;
  for (;;) {
    const error = await tryConnection(url);
    const nowMs = performance.now();
    if (error === undefined) {
      if (saidMs !== undefined) log.info('The database is available.');
      return;
    }
    if (!mayPass(error) || nowMs - startedMs >= seconds * 1000 || signal?.aborted) return;
    if (saidMs === undefined || nowMs - saidMs >= sayEveryMs) {
      saidMs = nowMs;
      log.warn('The database does not respond yet; waiting for it.', {
        reason: reasonOf(error),
        givesUpInSeconds: Math.ceil(seconds - (nowMs - startedMs) / 1000),
      });
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** A refused login stays refused; an unknown host name may be that of a container that is starting. */
function mayPass(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(mayPass);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code.startsWith('28')) return false;
  return code === 'ENOTFOUND' || isUnavailable(error);
}

function reasonOf(error: Error): string {
  if (!(error instanceof AggregateError)) return error.message;
  return error.errors.map((one) => (one instanceof Error ? one.message : String(one))).join(', ');
}
