import { setTimeout as delay } from 'node:timers/promises';
import {
  fence,
  type HeldName,
  isUnavailable,
  type Lease,
  LeaseLostError,
  type Leases,
  reserve,
  type Sql,
} from '@latchkey/db';
import { createBackoff, type Log, observed } from '@latchkey/kernel';
import type { DiscordEvent, DiscordGateway, ShardSession } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { repeat } from '../../shared/repeat.ts';
import { putSession, putShardCount, type Shard, selectSession, selectShardCount } from './queries.ts';

export interface GatewayOptions extends ShardWork {
  leases: Leases;
  /** How often the list of workers and free shards is checked. */
  checkMs?: number;
}

type GatewayContext = Pick<Context, 'clock' | 'db' | 'log' | 'random'>;

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
 * Receives events from the guilds of a bot, until stopped. Any number of processes can run this: each shard is open in
 * one of them, and moves when one joins, leaves or dies.
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
        // Releases the lease so that another worker can continue from the saved session.
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

/** Names of leases: `worker/…` means that a worker participates, the others are shards. */
export function leaseNames(bot: string) {
  const all = `discord/${bot}/`;
  return {
    all,
    worker: (owner: string) => `${all}worker/${owner}`,
    shard: (shardCount: number, shardId: number) => `${all}shard/${shardCount}/${shardId}`,
  };
}

interface Share {
  /** How many shards this worker should hold. */
  quota: number;
  /** Shards without a holder. */
  free: number[];
}

/**
 * Computes how many shards each worker should hold so that all are held as evenly as possible. If they do not divide
 * evenly, the workers that hold most keep the rest, so that few shards move.
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

interface ShardWork extends BeginTurns {
  gateway: DiscordGateway;
  takeEvent: TakeEvent;
}

type End = 'stopped' | 'full' | { failed: string; fatalCloseCode?: number | undefined };

const reopening = { firstMs: 5_000, longestMs: 60_000, stableMs: 0 };

/** Keeps one shard open until it is stopped, its lease is lost, or Discord permanently rejects it. */
async function keepShard(
  ctx: GatewayContext,
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
      log.error('Discord permanently rejected a shard. Fix the cause and restart.', { shardId, closeCode, reason });
      return stayClosed(shardId, closeCode, signal);
    }
    const delayMs = backoff.nextDelayMs();
    log.warn('Could not open a Discord shard; retrying.', { shardId, reason, delayMs });
    await delay(delayMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Keeps the lease until this process gives the shard up, so that no other process makes the same failing attempt. */
async function stayClosed(shardId: number, closeCode: number, signal: AbortSignal): Promise<void> {
  const shard = { platform: 'discord', shard: String(shardId), code: String(closeCode) };
  observed.gatewayStopped.record({ ...shard, isStopped: true });
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  observed.gatewayStopped.record({ ...shard, isStopped: false });
}

async function openOnce(
  ctx: GatewayContext,
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
      // More events would exhaust memory; after a pause Discord sends them again.
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

interface BeginTurns {
  gateway: Pick<DiscordGateway, 'readGatewayInfo'>;
  bot: string;
  /** The share of the daily sessions that is reserved for the operator, from 0 to 1. */
  reserve: number;
  /** Discord requires five seconds; the rest allows for network latency. */
  gapMs?: number;
}

const checkAgainMs = 60_000;
const retrying = { firstMs: 2_000, longestMs: 30_000, stableMs: 0 };

/**
 * Waits until a session of a shard may start: across all processes, one at a time in each of Discord's rate limit
 * buckets, and none when the bot's daily session limit is almost used up. Rejects only if the signal is aborted.
 */
export async function waitToBegin(
  ctx: Pick<Context, 'db' | 'log' | 'random'>,
  { gateway, bot, reserve: kept, gapMs = 5_500 }: BeginTurns,
  shardId: number,
  signal: AbortSignal,
): Promise<void> {
  const log = ctx.log.for('discord');
  const pause = (ms: number) => delay(ms, undefined, { signal });
  const backoff = createBackoff({ ...retrying, random: ctx.random });
  let maxConcurrency: number | undefined;
  for (;;) {
    try {
      maxConcurrency ??= (await gateway.readGatewayInfo()).maxConcurrency;
      const name = `discord/${bot}/begin/${shardId % maxConcurrency}`;
      const { isTaken, inMs } = await reserve(ctx.db.system, { name, count: 1, gapMs, aheadMs: 0 });
      if (!isTaken) {
        await pause(Math.ceil(inMs));
        continue;
      }
      // Read when it is this shard's turn, so that sessions started before it are counted.
      const { sessionStarts } = await gateway.readGatewayInfo();
      if (sessionStarts.remaining > sessionStarts.total * kept) return signal.throwIfAborted();
      warnOfLimit(log, sessionStarts);
      await pause(Math.min(checkAgainMs, sessionStarts.resetAfterMs + 1_000));
    } catch (error) {
      signal.throwIfAborted();
      const delayMs = backoff.nextDelayMs();
      log.warn('Cannot start a Discord session yet; retrying.', { shardId, reason: String(error), delayMs });
      await pause(delayMs);
    }
  }
}

function warnOfLimit(
  log: Log,
  { remaining, total, resetAfterMs }: { remaining: number; total: number; resetAfterMs: number },
) {
  log.warn(
    'Not starting a Discord session: the bot’s daily session limit is almost used up. LATCHKEY_DISCORD_SESSION_RESERVE sets the reserve.',
    { remaining, total, resetAfterSeconds: Math.ceil(resetAfterMs / 1000) },
  );
}

/**
 * Runs work that must not be repeated in one transaction with the record that the event was processed. Called once per
 * event, after all work that may be repeated.
 */
export type Once = (work?: (tx: Sql) => Promise<void>) => Promise<void>;

export type TakeEvent = (event: DiscordEvent, once: Once, receivedAt: Date) => Promise<void>;

interface Waiting {
  receivedAt: Date;
  event: DiscordEvent | undefined;
  session: ShardSession;
}

const mostWaiting = 10_000;
const tryAgainMs = 250;
/** How often the position is saved for a shard whose events are all ignored. */
const flushMs = 5_000;

/**
 * Processes the events of a shard, one after the other. The position is saved together with the effects of each event,
 * and only while the lease is held, so that the next holder of the shard gets exactly the unprocessed events from
 * Discord.
 */
class Intake {
  #waiting: Waiting[] = [];
  #saved: ShardSession | undefined;
  #passed: ShardSession | undefined;
  #flushedAtMs = performance.now();
  #working: Promise<void> | undefined;
  #isOver = false;
  readonly #ctx: Pick<Context, 'clock' | 'db' | 'log'>;
  readonly #shard: Shard;
  readonly #lease: Lease;
  readonly #take: TakeEvent;

  constructor(
    ctx: Pick<Context, 'clock' | 'db' | 'log'>,
    options: { shard: Shard; lease: Lease; saved: ShardSession | undefined; takeEvent: TakeEvent },
  ) {
    this.#ctx = ctx;
    this.#shard = options.shard;
    this.#lease = options.lease;
    this.#saved = options.saved;
    this.#take = options.takeEvent;
  }

  get isFull(): boolean {
    return this.#waiting.length >= mostWaiting;
  }

  add(event: DiscordEvent | undefined, session: ShardSession): void {
    if (this.#isOver) return;
    this.#waiting.push({ receivedAt: this.#ctx.clock(), event, session });
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** Resolves when all added events are processed. */
  async drain(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
    await this.#flush();
  }

  /** Drops what has not been started: Discord sends it again. */
  async stop(): Promise<void> {
    this.#waiting = [];
    this.#isOver = true;
    await this.drain();
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (this.#isKnown(next.session)) continue;
      if (next.event !== undefined) await this.#takeIn(next.event, next);
      else await this.#pass(next.session);
    }
  }

  #isKnown({ sessionId, sequence }: ShardSession): boolean {
    return this.#saved?.sessionId === sessionId && sequence <= this.#saved.sequence;
  }

  async #pass(session: ShardSession): Promise<void> {
    this.#passed = session;
    const isNew = this.#saved?.sessionId !== session.sessionId;
    if (isNew || performance.now() - this.#flushedAtMs > flushMs) await this.#flush();
  }

  async #flush(): Promise<void> {
    const passed = this.#passed;
    this.#passed = undefined;
    this.#flushedAtMs = performance.now();
    if (passed === undefined || this.#isKnown(passed) || !this.#lease.isHeld()) return;
    // If this fails, the next holder skips the same events again.
    await this.#save(passed).catch(() => undefined);
  }

  async #takeIn(event: DiscordEvent, { session, receivedAt }: Waiting): Promise<void> {
    while (this.#lease.isHeld()) {
      try {
        await this.#take(event, (work) => this.#save(session, work), receivedAt);
        return this.#isKnown(session) ? undefined : await this.#pass(session);
      } catch (error) {
        if (error instanceof LeaseLostError) return;
        if (isUnavailable(error) && !this.#isKnown(session)) {
          await delay(tryAgainMs);
          continue;
        }
        const log = this.#ctx.log.for('discord');
        log.error('Failed to process a Discord event.', { kind: event.kind, error: String(error) });
        return await this.#pass(session);
      }
    }
  }

  async #save(session: ShardSession, work?: (tx: Sql) => Promise<void>): Promise<void> {
    await this.#ctx.db.transaction('system', async (tx) => {
      await fence(tx, this.#lease);
      // A transaction may have been committed although its result was lost.
      const kept = await selectSession(tx, this.#shard);
      if (kept?.sessionId === session.sessionId && kept.sequence >= session.sequence) return;
      await work?.(tx);
      await putSession(tx, this.#shard, session);
    });
    this.#saved = session;
  }
}
