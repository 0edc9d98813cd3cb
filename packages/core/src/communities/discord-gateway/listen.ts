import type { Leases } from '@latchkey/db';
import type { Context } from '../../context.ts';
import { repeat } from '../../repeat.ts';
import { keepShard, type ShardWork } from './keep-shard.ts';
import { putShardCount, selectShardCount } from './queries.ts';
import { leaseNames, shareOf } from './spread.ts';

export interface GatewayOptions extends ShardWork {
  leases: Leases;
  /** How often it is looked who takes part and which shards are free. */
  lookMs?: number;
}

type GatewayContext = Pick<Context, 'db' | 'log' | 'random'>;

/** How often Discord is asked whether the bot needs more shards. */
const planSeconds = 3_600;
const trying = {
  topic: 'discord',
  failure: 'The gateway of Discord cannot be opened; trying again.',
  longestPauseMs: 60_000,
};

interface Running {
  name: string;
  ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Hears what happens in the guilds of a bot, until stopped. Any number of processes may run this: each shard is open in one of
 * them, and moves when one joins, leaves or dies.
 */
export function listenToDiscord(ctx: GatewayContext, options: GatewayOptions): { stop(): Promise<void> } {
  const { leases, bot, lookMs = 1_000 } = options;
  const names = leaseNames(bot);
  const ended = new AbortController();
  const { signal } = ended;
  const running = new Map<string, Running>();

  async function open(shardCount: number, shardId: number): Promise<void> {
    const name = names.shard(shardCount, shardId);
    const lease = await leases.take(name);
    if (lease === undefined || signal.aborted) return;
    const own = new AbortController();
    const work = keepShard(ctx, options, { bot, shardCount, shardId }, lease, own.signal).finally(() => {
      running.delete(name);
    });
    running.set(name, {
      name,
      ended: work,
      stop: async () => {
        own.abort();
        await work;
        // Another one waits for what it saved.
        if (lease.isHeld()) await leases.release(name);
      },
    });
  }

  async function look(): Promise<void> {
    const shardCount = await readShardCount(ctx, options);
    if ((await leases.take(names.worker(leases.owner))) === undefined) return;
    const { quota, free } = shareOf(leases.owner, await leases.list(names.all), names, shardCount);
    const current = new Set(Array.from({ length: shardCount }, (_, id) => names.shard(shardCount, id)));
    const mine = [...running.values()].filter(({ name }) => current.has(name));
    const outdated = [...running.values()].filter(({ name }) => !current.has(name));
    await Promise.all([...outdated, ...mine.slice(quota)].map((one) => one.stop()));
    for (const shardId of free) {
      if (running.size >= quota || signal.aborted) break;
      if (!running.has(names.shard(shardCount, shardId))) await open(shardCount, shardId);
    }
  }

  const looking = repeat(ctx, signal, { ...trying, pauseMs: lookMs }, async () => {
    await look();
    return 'at-end';
  });
  return {
    stop: async () => {
      ended.abort();
      await looking;
      await Promise.all([...running.values()].map((one) => one.stop()));
      await leases.release(names.worker(leases.owner));
    },
  };
}

async function readShardCount(ctx: GatewayContext, { gateway, bot }: GatewayOptions): Promise<number> {
  const known = await selectShardCount(ctx.db.system, bot, planSeconds);
  if (known?.isFresh) return known.shardCount;
  const plan = await gateway.readPlan().catch((error: unknown) => {
    if (known === undefined) throw error;
    return { shards: known.shardCount };
  });
  return putShardCount(ctx.db.system, bot, plan.shards);
}
