import type { HeldName, Leases } from '@latchkey/db';
import type { Context } from '../../shared/context.ts';
import { repeat } from '../../shared/repeat.ts';
import { keepShard, type ShardWork } from './keep-shard.ts';
import { putShardCount, selectShardCount } from './queries.ts';

export interface GatewayOptions extends ShardWork {
  leases: Leases;
  /** How often it is looked who takes part and which shards are free. */
  checkMs?: number;
}

type GatewayContext = Pick<Context, 'db' | 'log' | 'random'>;

/** How often Discord is asked whether the bot needs more shards. */
const gatewayInfoSeconds = 3_600;
const trying = {
  topic: 'discord',
  failure: 'Cannot connect to the Discord gateway; retrying.',
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
  const { leases, bot, checkMs = 1_000 } = options;
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

  const looking = repeat(ctx, signal, { ...trying, pauseMs: checkMs }, async () => {
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
  const known = await selectShardCount(ctx.db.system, bot, gatewayInfoSeconds);
  if (known?.isFresh) return known.shardCount;
  const info = await gateway.readGatewayInfo().catch((error: unknown) => {
    if (known === undefined) throw error;
    return { shards: known.shardCount };
  });
  return putShardCount(ctx.db.system, bot, info.shards);
}

/** Names of leases: `worker/…` says that a worker takes part, the others are shards. */
export function leaseNames(bot: string) {
  const all = `discord/${bot}/`;
  return {
    all,
    worker: (owner: string) => `${all}worker/${owner}`,
    shard: (shardCount: number, shardId: number) => `${all}shard/${shardCount}/${shardId}`,
  };
}

interface Share {
  /** How many shards this worker should have. */
  quota: number;
  /** Shards that nobody has. */
  free: number[];
}

/**
 * What each worker should hold so that all shards are held, and as evenly as they can be. Where they do not divide, those who
 * hold most keep the rest, so that few shards move.
 */
export function shareOf(
  owner: string,
  held: readonly HeldName[],
  names: ReturnType<typeof leaseNames>,
  shardCount: number,
): Share {
  const shards = new Map(Array.from({ length: shardCount }, (_, id) => [names.shard(shardCount, id), id]));
  const counts = new Map<string, number>([[owner, 0]]);
  const taken = new Set<number>();
  for (const lease of held) if (lease.name === names.worker(lease.owner)) counts.set(lease.owner, 0);
  for (const lease of held) {
    const id = shards.get(lease.name);
    if (id === undefined) continue;
    taken.add(id);
    if (counts.has(lease.owner)) counts.set(lease.owner, (counts.get(lease.owner) ?? 0) + 1);
  }
  const ranks = [...counts].toSorted(([a, many], [b, few]) => few - many || (a < b ? -1 : 1)).map(([one]) => one);
  const rest = shardCount % ranks.length;
  return {
    quota: Math.floor(shardCount / ranks.length) + (ranks.indexOf(owner) < rest ? 1 : 0),
    free: [...shards.values()].filter((id) => !taken.has(id)),
  };
}
