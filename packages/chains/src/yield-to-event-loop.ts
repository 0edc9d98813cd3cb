import { setImmediate as turn } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/**
 * Lets other work run before a signature is verified. Each takes some milliseconds, and many may be there at the same moment,
 * of many requests or of one proof, which together would keep every other request waiting. So they queue here, and each has
 * a turn of the event loop of its own.
 */
export function yieldToEventLoop(): Promise<void> {
  last = last.then(() => turn());
  return last;
}
