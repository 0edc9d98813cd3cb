import { type Database, sql } from '@latchkey/db';
import type { Clock } from '@latchkey/kernel';
import { systemClock } from './clock.ts';

/** The time of the database, which all processes share. */
export interface DatabaseClock {
  clock: Clock;
  stop(): void;
}

const askEveryMs = 30_000;
/** A shorter distance may be the way of the answer, and a clock that jumps to and fro serves nobody. */
const leastStepMs = 500;

/**
 * A clock that agrees with the database. What one process writes with its time, another compares with its own: who is due,
 * who was seen last, whose claim is over. A machine whose clock is wrong, or is set while it runs, would spoil that for all.
 * Between two questions it counts on a clock that never steps. The system's own time serves until the database answers.
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
  // Callers that need the database find out on their own that it is down.
  const tryAsking = () => ask().catch(() => undefined);
  await tryAsking();
  const timer = setInterval(tryAsking, everyMs).unref();
  return { clock: () => new Date(startMs + performance.now()), stop: () => clearInterval(timer) };
}

/**
 * When this process started by the database's time, after its answer. The database said its time somewhere between
 * question and answer: what lies within is not contradicted, and a slow answer says less than a quick one.
 */
export function agreedStartMs(startMs: number, answer: { saidMs: number; before: number; after: number }): number {
  const { saidMs, before, after } = answer;
  const foundMs = saidMs - (before + after) / 2;
  const wrongAtMostMs = Math.max(leastStepMs, (after - before) / 2);
  return Math.abs(foundMs - startMs) > wrongAtMostMs ? foundMs : startMs;
}
