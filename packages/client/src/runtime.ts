/** Returns a unique idempotency key. */
export function newIdempotencyKey(): string {
  return crypto.randomUUID();
}

/** Returns a random number from 0 up to 1. */
export function chance(): number {
  return Math.random();
}

export function nowSeconds(): number {
  return Date.now() / 1_000;
}

/** Waits, or throws the signal's reason as soon as it aborts. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}
