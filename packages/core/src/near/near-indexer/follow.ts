import { fencedBy, type Leases, openLeases } from '@latchkey/db';
import type { Context } from '../../context.ts';
import type { NearBlocks } from '../../ports/index.ts';
import { repeat } from '../../repeat.ts';
import { type IndexContext, indexStep } from './step.ts';

// NEAR makes a block about every second.
const pauseMs = 1_000;
const longestPauseMs = 30_000;

/** Indexes a network until stopped. Any number of processes may run this; one of them does the work. */
export function followNear(
  ctx: IndexContext & Pick<Context, 'random'>,
  network: NearBlocks,
  leases: Leases = openLeases(ctx.db, { log: ctx.log.for('leases') }),
): { stop(): Promise<void> } {
  const ended = new AbortController();
  const { signal } = ended;
  const name = `near-index/${network.network}`;
  const trying = { topic: 'near', failure: 'Indexing NEAR failed; trying on.', pauseMs, longestPauseMs };
  const running = repeat(ctx, signal, trying, async () => {
    const lease = await leases.take(name);
    return lease ? indexStep({ ...ctx, db: fencedBy(ctx.db, lease) }, network, signal) : 'at-end';
  });
  return {
    stop: async () => {
      ended.abort();
      await running;
      await leases.release(name);
    },
  };
}
