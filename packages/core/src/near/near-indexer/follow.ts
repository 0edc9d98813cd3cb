import { openHeldLocks } from '@latchkey/db';
import type { NearBlocks } from '../../ports/index.ts';
import { repeat } from '../../repeat.ts';
import { type IndexContext, indexStep } from './step.ts';

// NEAR makes a block about every second.
const pauseMs = 1_000;
const longestPauseMs = 30_000;

/** Indexes a network until stopped. Any number of processes may run this; one of them does the work. */
export function followNear(ctx: IndexContext, network: NearBlocks): { stop(): Promise<void> } {
  const ended = new AbortController();
  const { signal } = ended;
  const locks = openHeldLocks(ctx.db);
  const trying = { topic: 'near', failure: 'Indexing NEAR failed; trying on.', pauseMs, longestPauseMs };
  const running = repeat(ctx, signal, trying, async () =>
    (await locks.take(`near-index:${network.network}`)) ? indexStep(ctx, network, signal) : 'at-end',
  );
  return {
    stop: async () => {
      ended.abort();
      await running;
      await locks.close();
    },
  };
}
