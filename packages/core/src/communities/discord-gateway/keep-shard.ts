import { setTimeout as delay } from 'node:timers/promises';
import type { Lease } from '@latchkey/db';
import type { Context } from '../../context.ts';
import type { DiscordGateway } from '../../ports/index.ts';
import { type BeginTurns, waitToBegin } from './begin-turns.ts';
import { Intake, type TakeEvent } from './intake.ts';
import { type Shard, selectSession } from './queries.ts';

export interface ShardWork extends BeginTurns {
  gateway: DiscordGateway;
  takeEvent: TakeEvent;
}

type End = 'stopped' | 'full' | { failed: string };

const pauseMs = 60_000;

/** Keeps one shard open until it is told to stop or its lease is lost. */
export async function keepShard(
  ctx: Pick<Context, 'db' | 'log'>,
  work: ShardWork,
  shard: Shard,
  lease: Lease,
  stop: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([stop, lease.lost]);
  while (!signal.aborted && lease.isHeld()) {
    const end = await openOnce(ctx, work, shard, lease, signal);
    if (typeof end !== 'object') continue;
    ctx.log
      .for('discord')
      .warn('A shard of Discord cannot be opened; trying again.', { shardId: shard.shardId, reason: end.failed });
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

async function openOnce(
  ctx: Pick<Context, 'db' | 'log'>,
  { gateway, takeEvent, ...turns }: ShardWork,
  shard: Shard,
  lease: Lease,
  signal: AbortSignal,
): Promise<End> {
  const saved = await selectSession(ctx.db.system, shard).catch((error: unknown) => ({ failed: String(error) }));
  if (saved !== undefined && 'failed' in saved) return saved;
  const intake = new Intake(ctx, { shard, lease, saved, takeEvent });
  const { promise, resolve } = Promise.withResolvers<End>();
  const onStop = () => resolve('stopped');
  signal.addEventListener('abort', onStop, { once: true });
  if (signal.aborted) onStop();
  const open = gateway.openShard({
    ...shard,
    session: saved,
    mayBegin: (begin) => waitToBegin(ctx, { gateway, ...turns }, shard.shardId, AbortSignal.any([begin, signal])),
    onEvent: (event, session) => {
      intake.add(event, session);
      // What comes on top would fill the memory; after a pause Discord tells it again.
      if (intake.isFull) resolve('full');
    },
    onFailed: (reason) => resolve({ failed: reason }),
  });
  const end = await promise;
  signal.removeEventListener('abort', onStop);
  await open.close();
  await (end === 'full' ? intake.drain() : intake.stop());
  return end;
}
