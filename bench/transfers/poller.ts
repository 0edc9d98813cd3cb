import { setTimeout as rest } from 'node:timers/promises';
import type { Address } from 'viem';

/** The baseline: reads every member again every few seconds, and changes roles at no cost. */
export function startPoller(everySeconds: number, readHolders: () => Promise<ReadonlySet<Address>>) {
  let holders: ReadonlySet<Address> | undefined;
  const ended = new AbortController();
  const poll = async () => {
    while (!ended.signal.aborted) {
      // A block that is being replaced is read in the next round.
      holders = await readHolders().catch(() => holders);
      await rest(everySeconds * 1000, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  };
  const polling = poll();
  return {
    shows: (address: Address) => holders?.has(address) === true,
    stop: async () => {
      ended.abort();
      await polling;
    },
  };
}
