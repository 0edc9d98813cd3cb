import { type JobKind, type JobOptions, type JobRun, job, type Log, OpenObject, type Random } from '@latchkey/kernel';
import { type Database, openDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { randomFrom } from '../random.ts';
import { tenantUrlOf } from '../tenant-login/index.ts';
import { createTestDatabase, queryOnce } from '../testing/index.ts';
import { startWorker, type Worker, type WorkerOptions } from './index.ts';

export type Fields = Record<string, unknown>;

/** A log that collects warnings and errors. */
export function listeningLog(): Log & { lines: string[] } {
  const lines: string[] = [];
  const keep = (message: string, fields?: Fields) => {
    lines.push(`${message} ${JSON.stringify(fields ?? {})}`);
  };
  const log = { lines, debug: () => undefined, info: () => undefined, warn: keep, error: keep, for: () => log };
  return log;
}

/** Returns reproducible random numbers for a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function seededRandom(seed: number): Random {
  const next = seeded(seed);
  return randomFrom((length) => Uint8Array.from({ length }, () => Math.floor(next() * 256)));
}

export function kindOf(
  name: string,
  run: (payload: Fields, job: JobRun) => void | Promise<void>,
  options: Partial<JobOptions<Fields>> = {},
): JobKind<Fields> {
  return job(name, { payload: OpenObject, ...options }, async (_ctx: unknown, payload, run_) => run(payload, run_));
}

export interface TestQueue {
  db: Database;
  url: string;
  log: ReturnType<typeof listeningLog>;
  start(kinds: readonly JobKind<Fields>[], options?: Partial<WorkerOptions>): Worker;
  close(): Promise<void>;
}

/** Generous, because a busy machine says nothing about the queue. */
export const patienceMs = 120_000;
export const patient = { connectTimeoutMs: patienceMs, statementTimeoutMs: patienceMs };

let seed = 1;

/** A database with an empty queue, and workers that are stopped with it. */
export async function openQueue(name: string): Promise<TestQueue> {
  const test = await createTestDatabase({ migrate, name });
  const log = listeningLog();
  const db = openDatabase({ url: test.url, tenantUrl: tenantUrlOf(test.url), log, maxConnections: 20, ...patient });
  const workers: Worker[] = [];
  return {
    db,
    url: test.url,
    log,
    start: (kinds, options = {}) => {
      seed += 1;
      const worker = startWorker({
        db,
        kinds,
        log,
        random: seededRandom(seed),
        makeContext: () => ({}),
        validate: () => undefined,
        patienceMs,
        ...options,
      });
      workers.push(worker);
      return worker;
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.stop(0)));
      await db.close();
      await test.drop();
    },
  };
}

/** Cuts the connections with an application name, as a failing network or an operator would. */
export async function cutConnections(url: string, applicationName: string): Promise<number> {
  const cut = await queryOnce(
    url,
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()',
    [applicationName],
  );
  return cut.length;
}
