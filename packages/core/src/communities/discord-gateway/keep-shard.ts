import { setTimeout as delay } from 'node:timers/promises';
import type { Lease } from '@latchkey/db';
import { createBackoff, observed } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { DiscordGateway } from '../../ports/index.ts';
import { type BeginTurns, waitToBegin } from './begin-turns.ts';
import { Intake, type TakeEvent } from './intake.ts';
import { type Shard, selectSession } from './queries.ts';

export interface ShardWork extends BeginTurns {
  gateway: DiscordGateway;
  takeEvent: TakeEvent;
}

type End = 'stopped' | 'full' | { failed: string; fatalCloseCode?: number | undefined };

const reopening = { firstMs: 5_000, longestMs: 60_000, stableMs: 0 };

/** Keeps one shard open until it is told to stop, its lease is lost, or Discord refuses it for good. */
export async function keepShard(
  ctx: Pick<Context, 'db' | 'log' | 'random'>,
  work: ShardWork,
  shard: Shard,
  lease: Lease,
  stop: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([stop, lease.lost]);
  const backoff = createBackoff({ ...reopening, random: ctx.random });
  const log = ctx.log.for('discord');
  while (!signal.aborted && lease.isHeld()) {
    const end = await openOnce(ctx, work, shard, lease, signal);
    if (typeof end !== 'object') {
      backoff.succeeded();
      continue;
    }
    const { failed: reason, fatalCloseCode: closeCode } = end;
    const { shardId } = shard;
    if (closeCode !== undefined) {
      log.error('Discord refuses a shard for good. Fix the cause and restart.', { shardId, closeCode, reason });
      return stayClosed(shardId, closeCode, signal);
    }
    const delayMs = backoff.nextDelayMs();
    log.warn('A Discord shard could not be opened; trying again.', { shardId, reason, delayMs });
    await delay(delayMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Keeps the lease, so that no other process tries the same in vain, until this process gives the shard up. */
async function stayClosed(shardId: number, closeCode: number, signal: AbortSignal): Promise<void> {
  const shard = { platform: 'discord', shard: String(shardId), code: String(closeCode) };
  observed.gatewayStopped.tell({ ...shard, isStopped: true });
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  observed.gatewayStopped.tell({ ...shard, isStopped: false });
}

async function openOnce(
  ctx: Pick<Context, 'db' | 'log' | 'random'>,
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
    onFailed: (failed, fatalCloseCode) => resolve({ failed, fatalCloseCode }),
  });
  const end = await promise;
  signal.removeEventListener('abort', onStop);
  await open.close();
  await (end === 'full' ? intake.drain() : intake.stop());
  return end;
}
