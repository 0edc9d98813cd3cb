import type { Clock } from '../clock.ts';

/** How many requests an application may make: 100 a minute, averaged over ten minutes. */
export interface Allowance {
  /** Counts one request and answers the headers every answer carries; `isOver` means 429. */
  use(): { isOver: boolean; headers: Record<string, string> };
}

export function createAllowance(clock: Clock, requests = 1000, windowSeconds = 600): Allowance {
  let windowEndsMs = 0;
  let used = 0;
  return {
    use: () => {
      const now = clock();
      if (now >= windowEndsMs) {
        windowEndsMs = now + windowSeconds * 1000;
        used = 0;
      }
      const isOver = used >= requests;
      if (!isOver) used += 1;
      return {
        isOver,
        headers: {
          'x-ratelimit-used': String(used),
          'x-ratelimit-remaining': (requests - used).toFixed(1),
          'x-ratelimit-reset': String(Math.ceil((windowEndsMs - now) / 1000)),
        },
      };
    },
  };
}
