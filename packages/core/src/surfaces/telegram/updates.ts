import { type Sql, sql, type Tx } from '@latchkey/db';
import { addMs } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';

declare module '@latchkey/db/tables' {
  interface Tables {
    telegram_updates: { bot: string; update_id: number; seen_at: Date; taken_at: Date | null; failures: number };
  }
}

/** One update of one bot. Telegram may deliver it several times, and to several processes. */
export interface UpdateId {
  bot: string;
  updateId: number;
}

/** Runs work that must not be repeated in one transaction with the record that the update was processed. */
export type TakeOnce = (work?: (tx: Tx) => Promise<void>) => Promise<void>;

export async function isTaken(db: Sql, { bot, updateId }: UpdateId): Promise<boolean> {
  const row = await db
    .selectFrom('telegram_updates')
    .select('taken_at')
    .where('bot', '=', bot)
    .where('update_id', '=', updateId)
    .executeTakeFirst();
  return row != null && row.taken_at !== null;
}

/** Another process with the same update waits here until this one has finished, and then does nothing. */
export function onceFor({ clock, db }: Pick<Context, 'clock' | 'db'>, update: UpdateId): TakeOnce {
  return (work) =>
    db.transaction('system', async (tx) => {
      if (await markTaken(tx, update, clock())) await work?.(tx);
    });
}

/** Returns false if the update was already processed. */
export async function markTaken(db: Sql, { bot, updateId }: UpdateId, now: Date): Promise<boolean> {
  const { rows } = await sql`
    insert into telegram_updates (bot, update_id, seen_at, taken_at) values (${bot}, ${updateId}, ${now}, ${now})
    on conflict (bot, update_id) do update set taken_at = excluded.taken_at where telegram_updates.taken_at is null
    returning 1`.execute(db);
  return rows.length > 0;
}

/** Counts a failed try, and returns the total. */
export async function countFailure(db: Sql, { bot, updateId }: UpdateId, now: Date): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    insert into telegram_updates (bot, update_id, seen_at, failures) values (${bot}, ${updateId}, ${now}, 1)
    on conflict (bot, update_id) do update set failures = telegram_updates.failures + 1
    returning failures`.execute(db);
  return rows[0]?.failures ?? 0;
}

/** Longer than the 24 hours for which Telegram delivers an update. */
const keptHours = 48;

/** Deletes up to `limit` updates that Telegram no longer delivers, and returns how many. */
export async function deleteOldUpdates(db: Sql, now: Date, limit: number): Promise<number> {
  const oldest = addMs(now, -keptHours * 3_600_000);
  const old = sql`select ctid from telegram_updates where seen_at < ${oldest} limit ${limit}`;
  const { numAffectedRows = 0n } = await sql`delete from telegram_updates where ctid = any(array(${old}))`.execute(db);
  return Number(numAffectedRows);
}
