import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { reasonOf } from './connection/reason.ts';

export interface Migration {
  name: string;
  sql: string;
  hash: string;
}

/** How a migration behaves beside processes that go on working. */
export interface Pace {
  /** So long a statement waits for a lock. Meanwhile whoever comes later waits behind it. */
  lockTimeoutMs: number;
  /** So long one statement may take. */
  statementTimeoutMs: number;
  /** Pauses before it is tried again after it got no lock; then it is given up. */
  pausesMs: readonly number[];
}

export const usualPace: Pace = {
  lockTimeoutMs: 2_000,
  statementTimeoutMs: 15 * 60_000,
  pausesMs: [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000],
};

// No lock in time, or a deadlock that this side lost.
const lockTroubles = new Set(['55P03', '40P01']);

/** Applies one migration together with the row that records it. It yields to running work, and tries again later. */
export async function applyMigration(
  client: pg.Client,
  migration: Migration,
  { lockTimeoutMs, statementTimeoutMs, pausesMs }: Pace,
  progress: (line: string) => void,
): Promise<void> {
  for (let tried = 0; ; tried += 1) {
    try {
      await client.query('begin');
      await client.query(
        `set local lock_timeout = ${lockTimeoutMs}; set local statement_timeout = ${statementTimeoutMs}`,
      );
      await applyIn(client, migration);
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      const pauseMs = isLockTrouble(error) ? pausesMs[tried] : undefined;
      if (pauseMs === undefined) throw new Error(explain(migration, error, tried), { cause: error });
      progress(`${migration.name} waits for running work; trying again`);
      await delay(pauseMs);
    }
  }
}

/** Applies a migration in the transaction that is open. */
export async function applyIn(client: pg.Client, migration: Migration): Promise<void> {
  await client.query(migration.sql);
  await client.query('insert into migrations (name, hash) values ($1, $2)', [migration.name, migration.hash]);
}

function isLockTrouble(error: unknown): boolean {
  return error instanceof Error && 'code' in error && lockTroubles.has(String(error.code));
}

function explain({ name }: Migration, error: unknown, tried: number): string {
  if (isLockTrouble(error))
    return `The migration ${name} got no lock in ${tried + 1} tries: a long transaction holds a table that it changes. End that transaction (see pg_stat_activity), and start again.`;
  return `The migration ${name} failed: ${reasonOf(error)}`;
}
