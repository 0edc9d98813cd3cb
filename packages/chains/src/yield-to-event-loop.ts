import { setImmediate as turn } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/**
 * Lets other work run before a signature is verified. Each verification takes some milliseconds, and many that arrive at the same moment,
 * from many requests or in one proof, would block every other request. So they queue here, and each gets its own turn of the event loop.
 */
export function yieldToEventLoop(): Promise<void> {
  last = last.then(() => turn());
  return last;
}
