import type { Database } from '@latchkey/db';

/** Who follows which chain: one process at a time, and another as soon as that one is gone. */
export interface ChainLocks {
  /** True when this process follows the chain from now on, or did already. */
  take(chain: string): Promise<boolean>;
  close(): Promise<void>;
}

// Any constant works, as long as every process uses the same one.
const lockSpace = 4_817_225;

/**
 * Holds advisory locks on a connection of its own: they are gone the moment the process or the connection is. Every call
 * asks the database, so a lock that was lost is noticed before the next step.
 */
export function openChainLocks({ pool }: Pick<Database, 'pool'>): ChainLocks {
  const connect = async () => ({ client: await pool.connect(), held: new Set<string>() });
  let session: ReturnType<typeof connect> | undefined;
  const forget = async (opened: ReturnType<typeof connect> | undefined) => {
    if (session === opened) session = undefined;
    (await opened?.catch(() => undefined))?.client.release(true);
  };
  return {
    take: async (chain) => {
      session ??= connect();
      const opened = session;
      try {
        const { client, held } = await opened;
        const isHeld = held.has(chain);
        const { rows } = isHeld
          ? await client.query<{ taken: boolean }>('select true as taken')
          : await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lockSpace}, hashtext($1)) as taken`, [
              chain,
            ]);
        const isTaken = rows[0]?.taken ?? false;
        if (isTaken) held.add(chain);
        return isTaken;
      } catch (error) {
        if (session === opened) await forget(opened);
        throw error;
      }
    },
    close: () => forget(session),
  };
}
