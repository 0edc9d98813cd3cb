import { fencedBy, type Leases, openLeases } from '@latchkey/db';
import type { Context } from '../../context.ts';
import { repeat } from '../../repeat.ts';
import { gatingSettings } from '../judging/index.ts';
import { type FollowContext, followStep, restart } from './follow-step.ts';
import { WatchList } from './watched-assets.ts';

export interface Following {
  stop(): Promise<void>;
}

/** How long rules that were just written may go unheard. */
const refreshMs = 2_000;
const longestPauseMs = 5_000;
const trying = { topic: 'gating', failure: 'Following a chain failed; trying on.', longestPauseMs };
/** A chain that cannot be followed from where it was for so long is followed anew from its end. */
const patienceMs = 10 * 60 * 1000;

/**
 * Follows every chain that rules look at and that announces changes, until stopped: a transfer touches the members it
 * concerns as soon as its block is deep enough. Any number of processes may run this; each chain is followed by one.
 */
export function followChains(
  ctx: RepeatContext,
  leases: Leases = openLeases(ctx.db, { log: ctx.log.for('leases') }),
): Following {
  const ended = new AbortController();
  const { signal } = ended;
  const list = new WatchList(ctx);
  const watched = new Map<string, readonly string[]>();
  const loops = new Map<string, Promise<void>>();
  const refreshing = repeat(ctx, signal, { ...trying, pauseMs: refreshMs }, async () => {
    for (const [chain, contracts] of (await list.refresh()) ?? []) {
      watched.set(chain, contracts);
      if (!loops.has(chain))
        loops.set(
          chain,
          followChain(ctx, chain, () => watched.get(chain) ?? [], leases, signal),
        );
    }
    return 'at-end';
  });
  return {
    stop: async () => {
      ended.abort();
      await refreshing;
      await Promise.all(loops.values());
      await Promise.all([...loops.keys()].map((chain) => leases.release(leaseOf(chain))));
    },
  };
}

type RepeatContext = FollowContext & Pick<Context, 'random'>;

const leaseOf = (chain: string) => `chain/${chain}`;

function followChain(
  ctx: RepeatContext,
  chain: string,
  contracts: () => readonly string[],
  leases: Leases,
  signal: AbortSignal,
): Promise<void> {
  const settings = gatingSettings(ctx);
  let goodAt = ctx.clock().getTime();
  let heard: { contracts: readonly string[]; token: unknown } | undefined;
  return repeat(ctx, signal, { ...trying, pauseMs: settings.followPauseMs }, async () => {
    const named = contracts();
    const lease = named.length === 0 ? undefined : await leases.take(leaseOf(chain));
    if (lease === undefined) return 'at-end';
    const held = { ...ctx, db: fencedBy(ctx.db, lease) };
    // Who holds the lease is the only one that changes what is listened to.
    const known = heard?.token === lease.token ? heard.contracts : undefined;
    const result = await followStep(held, chain, named, { signal, ...(known !== undefined && { heard: known }) });
    if (result !== 'failed') heard = { contracts: named, token: lease.token };
    const now = ctx.clock().getTime();
    if (result !== 'failed') goodAt = now;
    if (now - goodAt < patienceMs) return result;
    goodAt = now;
    return restart(held, chain, named, settings.followDepths[chain] ?? settings.followDepth, signal);
  });
}
