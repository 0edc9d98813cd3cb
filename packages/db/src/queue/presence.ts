import type { Log, Random } from '@latchkey/kernel';
import { keepSession, type Session } from '../bus/session.ts';
import type { DirectConnection } from '../database.ts';
import type { Crew } from './crew.ts';
import { wakeChannel } from './enqueue.ts';
import { extendLeases, type Identity, noteEra, takeIdentity } from './lease.ts';

interface PresenceOptions {
  connection: DirectConnection;
  leaseSeconds: number;
  patienceMs?: number;
  random: Random;
  log: Log;
  crew: Crew;
  /** There is a new identity. */
  opened(): void;
  /** Jobs were enqueued for now or for later. */
  onState(state: string): void;
}

export interface Presence {
  identity(): Identity | undefined;
  close(): Promise<void>;
}

/**
 * Keeps a worker registered: holds its lock, extends its leases, listens for new jobs. Jobs that it no longer holds,
 * because the connection broke or the process was suspended past its leases, are abandoned.
 */
export function keepPresence(options: PresenceOptions): Presence {
  const { crew, leaseSeconds, log } = options;
  let identity: Identity | undefined;

  const session = keepSession({
    connection: { ...options.connection, application_name: 'latchkey-worker' },
    log,
    patienceMs: options.patienceMs ?? Math.max(1_000, leaseSeconds * 250),
    opened: async (opened) => {
      await prepareSession(opened);
      await noteEra(opened);
      identity = { session: opened, owner: await takeIdentity(opened, options.random) };
      options.opened();
    },
    lost: () => {
      identity = undefined;
      crew.abandonAll();
    },
    onMessage: (_channel, state) => options.onState(state),
  });

  let isExtending = false;
  async function extend(): Promise<void> {
    const leases = crew.leases();
    if (identity === undefined || leases.length === 0 || isExtending) return;
    isExtending = true;
    try {
      crew.keepOnly(leases, await extendLeases(identity.session, leases, leaseSeconds));
    } catch (error) {
      log.warn('Could not renew leases.', { reason: String(error) });
    } finally {
      isExtending = false;
    }
  }
  const heartbeat = setInterval(extend, (leaseSeconds * 1000) / 3);

  return {
    identity: () => identity,
    close: async () => {
      clearInterval(heartbeat);
      await session.close();
    },
  };
}

// The queue may grow from nothing to a million jobs before the database has new statistics, and a plan chosen for an
// empty table would then read all of them for each claim. Every statement of this session has its index, so one plan is
// right for all sizes and is made once.
export async function prepareSession(session: Session): Promise<void> {
  for (const setting of [
    'enable_seqscan = off',
    'enable_bitmapscan = off',
    'jit = off',
    'plan_cache_mode = force_generic_plan',
  ]) {
    await session.query(`set ${setting}`);
  }
  await session.query(`listen ${wakeChannel}`);
}
