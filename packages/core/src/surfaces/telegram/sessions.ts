import { setTimeout as delay } from 'node:timers/promises';
import { openLeases, type Sealed, type Sql } from '@latchkey/db';
import { PlatformFailed, type TelegramSessions } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import type { SealedColumn } from '../../shared/module.ts';

type SessionContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'log'>;

const checkAgainMs = 250;
const longestWaitMs = 60_000;

const placeOf = (name: string) => `telegram_sessions.session:${name}`;

/** The sealed column of this module, for master key rotation. */
export const telegramSealed: readonly SealedColumn[] = [
  { table: 'telegram_sessions', column: 'session', idColumns: ['name'], placeOf: (name = '') => placeOf(name) },
];

/**
 * Stores the session of a bot, sealed. Only one process uses it at a time: the others wait, and give up after a minute.
 */
export function keepTelegramSessions(
  ctx: SessionContext,
  { botId, apiId, waitMs = longestWaitMs }: { botId: string; apiId: number; waitMs?: number },
): TelegramSessions {
  const name = `${botId}/${apiId}`;
  let turn: Promise<unknown> = Promise.resolve();

  const useAlone: TelegramSessions['use'] = async (work, signal) => {
    const leases = openLeases(ctx.db, { log: ctx.log.for('leases') });
    try {
      for (let waitedMs = 0; (await leases.take(placeOf(name))) === undefined; waitedMs += checkAgainMs) {
        if (waitedMs >= waitMs)
          throw new PlatformFailed('unavailable', 'Another worker is listing members on Telegram.', 60);
        await delay(checkAgainMs, undefined, { ...(signal && { signal }) });
      }
      const row = await selectSession(ctx.db.system, name);
      return await work({
        session: row && ctx.keyring.openText(placeOf(name), row.session),
        keep: async (session) => {
          const sealed = ctx.keyring.seal(placeOf(name), session);
          await putSession(ctx.db.system, { name, session: sealed, kept_at: ctx.clock() });
        },
      });
    } finally {
      await leases.close();
    }
  };

  return {
    use: (work, signal) => {
      const result = turn.then(() => {
        signal?.throwIfAborted();
        return useAlone(work, signal);
      });
      turn = result.catch(() => undefined);
      return result;
    },
  };
}

interface TelegramSessionRow {
  /** Names the bot and the application. */
  name: string;
  session: Sealed;
  kept_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    telegram_sessions: TelegramSessionRow;
  }
}

function selectSession(sql: Sql, name: string): Promise<TelegramSessionRow | undefined> {
  return sql.selectFrom('telegram_sessions').selectAll().where('name', '=', name).executeTakeFirst();
}

async function putSession(sql: Sql, row: TelegramSessionRow): Promise<void> {
  const { session, kept_at } = row;
  await sql
    .insertInto('telegram_sessions')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ session, kept_at }))
    .execute();
}
