import type { Database } from './database.ts';

/** Who does which continuous work: one process at a time, and another as soon as that one is gone. */
export interface HeldLocks {
  /** True when this process has the lock from now on, or had it already. */
  take(name: string): Promise<boolean>;
  /** Once this resolves, others can take what was held here. */
  close(): Promise<void>;
}

// Any constant works, as long as every process uses the same one.
const lockSpace = 4_817_225;

/**
 * Holds advisory locks on a connection of its own: they are gone the moment the process or the connection is. Every call
 * asks the database, so a lock that was lost is noticed before the next step.
 */
export function openHeldLocks({ direct }: Pick<Database, 'direct'>): HeldLocks {
  const connect = async () => ({ client: await direct.connect(), held: new Set<string>() });
  let session: ReturnType<typeof connect> | undefined;
  return {
    take: async (name) => {
      session ??= connect();
      const opened = session;
      try {
        const { client, held } = await opened;
        const isHeld = held.has(name);
        const { rows } = isHeld
          ? await client.query<{ taken: boolean }>('select true as taken')
          : await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lockSpace}, hashtext($1)) as taken`, [
              name,
            ]);
        const isTaken = rows[0]?.taken ?? false;
        if (isTaken) held.add(name);
        return isTaken;
      } catch (error) {
        if (session === opened) {
          session = undefined;
          (await opened.catch(() => undefined))?.client.release(true);
        }
        throw error;
      }
    },
    close: async () => {
      const opened = session;
      session = undefined;
      const client = (await opened?.catch(() => undefined))?.client;
      if (client === undefined) return;
      // A connection that merely ends keeps its locks until the database notices.
      const isFreed = await client.query('select pg_advisory_unlock_all()').then(
        () => true,
        () => false,
      );
      client.release(!isFreed);
    },
  };
}
