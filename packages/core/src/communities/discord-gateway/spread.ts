import type { HeldName } from '@latchkey/db';

/** Names of leases: `worker/…` says that a worker takes part, the others are shards. */
export function leaseNames(bot: string) {
  const all = `discord/${bot}/`;
  return {
    all,
    worker: (owner: string) => `${all}worker/${owner}`,
    shard: (shardCount: number, shardId: number) => `${all}shard/${shardCount}/${shardId}`,
  };
}

export interface Share {
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
