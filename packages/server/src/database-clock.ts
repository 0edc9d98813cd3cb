import { type Database, sql } from '@latchkey/db';
import type { Clock } from '@latchkey/kernel';
import { systemClock } from './clock.ts';

/** The database's time, which all processes share. */
export interface DatabaseClock {
  clock: Clock;
  stop(): void;
}

const askEveryMs = 30_000;
/** A smaller difference may be network latency, and a jittering clock is useless. */
const leastStepMs = 500;

/**
 * Creates a clock that agrees with the database. Processes compare times that others wrote: due dates, heartbeats,
 * leases. A machine whose clock is wrong, or is set while it runs, would break that for all. Between two queries, the
 * clock advances with a monotonic timer. It uses the system time until the database responds.
 */
export async function followDatabaseClock(
  db: Pick<Database, 'system'>,
  { system = systemClock, everyMs = askEveryMs }: { system?: Clock; everyMs?: number } = {},
): Promise<DatabaseClock> {
  let startMs = system().getTime() - performance.now();

  async function ask(): Promise<void> {
    const before = performance.now();
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db.system);
    const after = performance.now();
    const [row] = rows;
    if (row !== undefined) startMs = agreedStartMs(startMs, { saidMs: row.now.getTime(), before, after });
  }
  // Callers that need the database notice on their own that it is down.
  const tryAsking = () => ask().catch(() => undefined);
  await tryAsking();
  const timer = setInterval(tryAsking, everyMs).unref();
  return { clock: () => new Date(startMs + performance.now()), stop: () => clearInterval(timer) };
}

/**
 * Returns when this process started in the database's time, corrected by a new reading. The database read its clock
 * somewhere between request and response: an estimate within that interval is kept, so a slow response corrects less
 * than a quick one.
 */
export function agreedStartMs(startMs: number, answer: { saidMs: number; before: number; after: number }): number {
  const { saidMs, before, after } = answer;
  const foundMs = saidMs - (before + after) / 2;
  const wrongAtMostMs = Math.max(leastStepMs, (after - before) / 2);
  return Math.abs(foundMs - startMs) > wrongAtMostMs ? foundMs : startMs;
}
