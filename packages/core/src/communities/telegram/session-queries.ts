import type { Sealed, Sql } from '@latchkey/db';

export interface TelegramSessionRow {
  /** Of which bot and which application. */
  name: string;
  session: Sealed;
  kept_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    telegram_sessions: TelegramSessionRow;
  }
}

export function selectSession(sql: Sql, name: string): Promise<TelegramSessionRow | undefined> {
  return sql.selectFrom('telegram_sessions').selectAll().where('name', '=', name).executeTakeFirst();
}

export async function putSession(sql: Sql, row: TelegramSessionRow): Promise<void> {
  const { session, kept_at } = row;
  await sql
    .insertInto('telegram_sessions')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ session, kept_at }))
    .execute();
}
