import { setTimeout as delay } from 'node:timers/promises';
import { fence, isUnavailable, type Lease, LeaseLostError, type Sql } from '@latchkey/db';
import type { Context } from '../../context.ts';
import type { DiscordEvent, ShardSession } from '../../ports/index.ts';
import { putSession, type Shard, selectSession } from './queries.ts';

/**
 * Runs what must not be done twice in one transaction with the record that the event was taken in. Called once for each
 * event, after everything that may be done again.
 */
export type Once = (work?: (tx: Sql) => Promise<void>) => Promise<void>;

export type TakeEvent = (event: DiscordEvent, once: Once) => Promise<void>;

interface Waiting {
  event: DiscordEvent | undefined;
  session: ShardSession;
}

const mostWaiting = 10_000;
const tryAgainMs = 250;
/** How often it is kept how far a shard came of whose events none was of interest. */
const flushMs = 5_000;

/**
 * Takes in the events of a shard, one after the other. How far it came is saved with the effects of each event and only while
 * the lease is held, so that the next holder of the shard gets from Discord what was not taken in, and nothing else.
 */
export class Intake {
  #waiting: Waiting[] = [];
  #saved: ShardSession | undefined;
  #passed: ShardSession | undefined;
  #flushedAtMs = performance.now();
  #working: Promise<void> | undefined;
  #isOver = false;
  readonly #ctx: Pick<Context, 'db' | 'log'>;
  readonly #shard: Shard;
  readonly #lease: Lease;
  readonly #take: TakeEvent;

  constructor(
    ctx: Pick<Context, 'db' | 'log'>,
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
    this.#waiting.push({ event, session });
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** Resolves when all that was added is taken in. */
  async drain(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
    await this.#flush();
  }

  /** Leaves what is not begun: Discord tells it again. */
  async stop(): Promise<void> {
    this.#waiting = [];
    this.#isOver = true;
    await this.drain();
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (this.#isKnown(next.session)) continue;
      if (next.event !== undefined) await this.#takeIn(next.event, next.session);
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
    // If this fails, the next holder passes over the same events again.
    await this.#save(passed).catch(() => undefined);
  }

  async #takeIn(event: DiscordEvent, session: ShardSession): Promise<void> {
    while (this.#lease.isHeld()) {
      try {
        await this.#take(event, (work) => this.#save(session, work));
        return this.#isKnown(session) ? undefined : await this.#pass(session);
      } catch (error) {
        if (error instanceof LeaseLostError) return;
        if (isUnavailable(error) && !this.#isKnown(session)) {
          await delay(tryAgainMs);
          continue;
        }
        const log = this.#ctx.log.for('discord');
        log.error('An event of Discord was not taken in.', { kind: event.kind, error: String(error) });
        return await this.#pass(session);
      }
    }
  }

  async #save(session: ShardSession, work?: (tx: Sql) => Promise<void>): Promise<void> {
    await this.#ctx.db.transaction('system', async (tx) => {
      await fence(tx, this.#lease);
      // A transaction whose end was not heard of may have been kept.
      const kept = await selectSession(tx, this.#shard);
      if (kept?.sessionId === session.sessionId && kept.sequence >= session.sequence) return;
      await work?.(tx);
      await putSession(tx, this.#shard, session);
    });
    this.#saved = session;
  }
}
