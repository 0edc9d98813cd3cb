import { type Sql, sql } from '@latchkey/db';

declare module '@latchkey/db/tables' {
  interface Tables {
    chat_bot_positions: { bot: string; position: string; moved_at: Date };
  }
}

/** Up to where the events of a bot were handled; undefined before the first. */
export async function selectPosition(db: Sql, bot: string): Promise<string | undefined> {
  const row = await db.selectFrom('chat_bot_positions').select('position').where('bot', '=', bot).executeTakeFirst();
  return row?.position;
}

/** Moves the position; false if it is not where the caller read it, because another process handled the events. */
export async function movePosition(
  db: Sql,
  { bot, from, to }: { bot: string; from: string | undefined; to: string },
  now: Date,
): Promise<boolean> {
  const { rows } =
    from === undefined
      ? await sql`insert into chat_bot_positions (bot, position, moved_at) values (${bot}, ${to}, ${now})
          on conflict (bot) do nothing returning 1`.execute(db)
      : await sql`update chat_bot_positions set position = ${to}, moved_at = ${now}
          where bot = ${bot} and position = ${from} returning 1`.execute(db);
  return rows.length > 0;
}
