import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { errorCode } from './error.ts';

/** The right to stop the server, held by one process at a time. */
export interface Claim {
  release(): Promise<void>;
}

// Advisory locks are per database and this one is in "postgres", which the application does not use.
const claimLock = 1;
// After a server is ready, when it last writes its file, its starter needs a moment to claim it: until then, no other
// process may treat it as an orphan.
const claimableAfterSeconds = 1;
const reclaimEveryMs = 500;

/**
 * Makes this process the owner of a server, unless a living process already is. Ownership is a lock on an open
 * connection: however its holder ends, the database notices, and the next process to start becomes the owner.
 */
export async function claimServer(adminUrl: string, startedByUs: boolean): Promise<Claim | undefined> {
  const first = await takeLock(adminUrl, { readyForSeconds: startedByUs ? 0 : claimableAfterSeconds });
  if (first === undefined) return undefined;
  let current: HeldLock | undefined = first;
  let released = false;

  // An operator who ends connections may end this one too, while the server keeps running.
  const hold = (lock: HeldLock) => {
    lock.client.once('end', async () => {
      if (released) return;
      current = await retakeLock(adminUrl, first.serverStartedAt, () => released);
      if (current) hold(current);
    });
  };
  hold(first);

  return {
    release: async () => {
      released = true;
      current?.socket.ref();
      await current?.client.end();
    },
  };
}

interface HeldLock {
  client: pg.Client;
  socket: Socket;
  serverStartedAt: string;
}

async function takeLock(
  adminUrl: string,
  { readyForSeconds = 0, serverStartedAt }: { readyForSeconds?: number; serverStartedAt?: string },
): Promise<HeldLock | undefined> {
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: adminUrl,
    application_name: 'latchkey-owner',
    stream: () => socket,
  });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(
    `select pg_sleep(greatest(0, $1 - extract(epoch from clock_timestamp() - modification)))
     from pg_stat_file('postmaster.pid')
     where not exists (
       select from pg_locks join pg_database on pg_database.oid = database
       where locktype = 'advisory' and objid = $2 and datname = current_database())`,
    [readyForSeconds, claimLock],
  );
  const { rows } = await client.query<{ taken: boolean; started_at: string }>(
    `select case when started_at = coalesce($2, started_at) then pg_try_advisory_lock($1) end as taken, started_at
     from (select pg_postmaster_start_time()::text as started_at)`,
    [claimLock, serverStartedAt],
  );
  const [row] = rows;
  if (row?.taken) {
    // The claim must not keep a process alive that has nothing else to do.
    socket.unref();
    return { client, socket, serverStartedAt: row.started_at };
  }
  await client.end();
  return undefined;
}

/** Takes the lock again on the same server, but not on one started since: that one has its own owner. */
async function retakeLock(
  adminUrl: string,
  serverStartedAt: string,
  isReleased: () => boolean,
): Promise<HeldLock | undefined> {
  while (!isReleased()) {
    await delay(reclaimEveryMs, undefined, { ref: false });
    try {
      return await takeLock(adminUrl, { serverStartedAt });
    } catch (error) {
      // Nothing listens any more: the server itself has ended and there is nothing left to own.
      if (errorCode(error) === 'ECONNREFUSED' || errorCode(error) === 'ENOENT') return undefined;
    }
  }
  return undefined;
}
