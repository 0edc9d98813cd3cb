import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '@latchkey/kernel';
import pg from 'pg';
import { isUnavailable } from '../unavailable.ts';
import { type Failure, failJobs, finishJobs, type Lease } from './finish.ts';

export interface OutcomeWriter {
  done(lease: Lease): void;
  failed(failure: Failure): void;
  /** Stops trying: what is not written by now will be run again by somebody. */
  close(): void;
}

export interface OutcomeOptions {
  pool: pg.Pool;
  log: Log;
  /** The outcome is in the database, or no longer matters because the job was taken away. */
  written(lease: Lease): void;
  /** At least one job is to be tried again later. */
  delayed(): void;
  /** At least one job was given up. */
  gaveUp?(): void;
}

const retryPauseMs = 250;
const heldPauseMs = 50;
const mostAtOnce = 1000;

/**
 * Writes how jobs ended, as many as there are in one statement. Trouble with the database is waited out: a job that had
 * an effect outside should not run twice because of a lost connection.
 */
export function writeOutcomes(options: OutcomeOptions): OutcomeWriter {
  const done: Lease[] = [];
  const failures: Failure[] = [];
  let isWriting = false;
  let isClosed = false;

  async function writeAll(): Promise<void> {
    if (isWriting) return;
    isWriting = true;
    // Jobs that end in the same turn of the event loop are written together.
    await nextTurn();
    while (done.length + failures.length > 0 && !isClosed) {
      const later = [
        ...(await attempt(options, done, writeDone)),
        ...(await attempt(options, failures, writeFailures)),
      ];
      if (later.length > 0) await delay(Math.max(...later));
    }
    isWriting = false;
  }

  return {
    done: (lease) => {
      done.push(lease);
      void writeAll();
    },
    failed: (failure) => {
      failures.push(failure);
      void writeAll();
    },
    close: () => {
      isClosed = true;
    },
  };
}

type Write<Item> = (options: OutcomeOptions, items: readonly Item[]) => Promise<Item[]>;

/** Writes what is in `queue`, puts back what has to be tried again, and answers the pauses to make before that. */
async function attempt<Item extends Lease>(
  options: OutcomeOptions,
  queue: Item[],
  write: Write<Item>,
): Promise<number[]> {
  const items = queue.splice(0, mostAtOnce);
  if (items.length === 0) return [];
  try {
    const held = await write(options, items);
    queue.push(...held);
    return held.length > 0 ? [heldPauseMs] : [];
  } catch (error) {
    if (isPassing(error)) {
      options.log.debug('The end of jobs could not be written; trying again.', {
        jobs: items.length,
        reason: String(error),
      });
      queue.push(...items);
      return [retryPauseMs];
    }
    return (await Promise.all(items.map((item) => attemptAlone(options, queue, item, write)))).flat();
  }
}

// One outcome that the database refuses must not keep the others from being written.
async function attemptAlone<Item extends Lease>(
  options: OutcomeOptions,
  queue: Item[],
  item: Item,
  write: Write<Item>,
): Promise<number[]> {
  try {
    queue.push(...(await write(options, [item])));
    return [heldPauseMs];
  } catch (error) {
    if (isPassing(error)) {
      queue.push(item);
      return [retryPauseMs];
    }
    options.log.error('The end of a job could not be written; it will run again.', {
      job: item.id,
      reason: String(error),
    });
    options.written(item);
    return [];
  }
}

async function writeDone(options: OutcomeOptions, leases: readonly Lease[]): Promise<Lease[]> {
  const report = await finishJobs(options.pool, leases);
  const held = new Set(report.held);
  const lost = leases.length - report.finished.length - held.size;
  if (lost > 0) options.log.warn('Jobs ended after their lease was lost; they may run again.', { jobs: lost });
  for (const lease of leases) if (!held.has(lease.id)) options.written(lease);
  return leases.filter((lease) => held.has(lease.id));
}

async function writeFailures(options: OutcomeOptions, failures: readonly Failure[]): Promise<Failure[]> {
  await failJobs(options.pool, failures);
  for (const failure of failures) options.written(failure);
  options.delayed();
  if (failures.some(({ delaySeconds }) => delaySeconds === undefined)) options.gaveUp?.();
  return [];
}

const lockTroubles = new Set(['57014', '55P03']);

function isPassing(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof pg.DatabaseError && lockTroubles.has(error.code ?? ''));
}
