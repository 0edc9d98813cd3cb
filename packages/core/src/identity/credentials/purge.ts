import { sql } from '@latchkey/db';
import { deleteOldKeys } from '../../services/signing-keys/index.ts';
import type { Context } from '../../shared/context.ts';

const hourMs = 60 * 60 * 1000;

/** What may be forgotten: rows whose time column lies this far in the past. */
const perishable = [
  { table: 'access_tokens', column: 'expires_at', keepMs: 0 },
  { table: 'sessions', column: 'expires_at', keepMs: 0 },
  { table: 'console_sessions', column: 'expires_at', keepMs: 0 },
  { table: 'revoked_tokens', column: 'expires_at', keepMs: 0 },
  { table: 'used_nonces', column: 'expires_at', keepMs: 0 },
  { table: 'idempotent_requests', column: 'created_at', keepMs: 24 * hourMs },
  { table: 'rate_windows', column: 'window_start', keepMs: 32 * 24 * hourMs },
] as const;

// Small enough that a batch holds its locks for milliseconds and stays far below the statement timeout.
const batchSize = 5_000;

type PurgeContext = Pick<Context, 'clock' | 'db'>;

/** Deletes what has run out and cannot be used any more, and answers how many rows went. */
export async function purgeExpiredCredentials(ctx: PurgeContext, signal?: AbortSignal): Promise<number> {
  let swept = await deleteOldKeys(ctx);
  for (const { table, column, keepMs } of perishable) {
    const before = new Date(ctx.clock().getTime() - keepMs);
    let deleted = batchSize;
    while (deleted === batchSize && signal?.aborted !== true) {
      deleted = await deleteBatch(ctx, table, column, before);
      swept += deleted;
    }
  }
  return swept;
}

async function deleteBatch(ctx: PurgeContext, table: string, column: string, before: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${sql.ref(column)} < ${before} limit ${batchSize}))`.execute(
    ctx.db.system,
  );
  return Number(numAffectedRows ?? 0);
}
