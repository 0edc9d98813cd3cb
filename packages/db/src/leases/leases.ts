import type { Log } from '@latchkey/kernel';
import { sql as raw } from 'kysely';
import type { Database, Tx } from '../database.ts';
import { systemRandom } from '../random.ts';
import { type HeldName, releaseNames, renewNames, selectHeld, takeName } from './queries.ts';

/** Continuous work that this process currently holds. */
export interface Lease {
  readonly name: string;
  /** Increases from one holder of the name to the next. */
  readonly token: number;
  /** Aborted as soon as another process may hold the name. */
  readonly lost: AbortSignal;
  isHeld(): boolean;
}

export interface Leases {
  readonly owner: string;
  /**
   * Returns the lease if this process gets it now or already has it. Queries the database only for leases it does not
   * hold.
   */
  take(name: string): Promise<Lease | undefined>;
  /** Lets others take the name. The holder must stop the work before releasing it. */
  release(name: string): Promise<void>;
  /** Lists the holders of names with this prefix. */
  list(prefix: string): Promise<HeldName[]>;
  /** Releases everything. */
  close(): Promise<void>;
}

export interface LeaseOptions {
  /** A unique name of this process; random by default. */
  owner?: string;
  log: Log;
  /** How long the database reserves a name for its holder. */
  ttlMs?: number;
}

/** Another process took the name meanwhile, so this process must not write. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor(name: string) {
    super(`Another process now holds the lease: ${name}.`);
  }
}

/**
 * How long a holder may be silent before another may take over its work, which then continues elsewhere within 15
 * seconds.
 */
export const leaseTtlMs = 12_000;

interface Held extends Lease {
  extend(requestedAtMs: number): void;
  lose(): void;
}

/**
 * Holds names in the database: all leases of a process are extended by one statement every third of their lifetime. A
 * holder that cannot reach the database stops after two thirds of it by its own clock, which is before any other can
 * take over. Nothing here needs a session connection, so a pooler may be in between.
 */
export function openLeases(
  { pool }: Pick<Database, 'pool'>,
  { owner = systemRandom.id(12), log, ttlMs = leaseTtlMs }: LeaseOptions,
): Leases {
  const safeMs = (ttlMs * 2) / 3;
  const beatMs = ttlMs / 3;
  const held = new Map<string, Held>();
  const taking = new Map<string, Promise<Lease | undefined>>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function beatIn(ms: number): void {
    clearTimeout(timer);
    timer = undefined;
    if (held.size > 0 && !isClosed) timer = setTimeout(() => void beat(), ms);
  }

  async function beat(): Promise<void> {
    const requestedAtMs = performance.now();
    const requested = [...held.values()];
    try {
      const rows = await renewNames(pool, { owner, ttlMs, held: requested });
      const byName = new Map(rows.map((row) => [row.name, row]));
      for (const lease of requested) {
        const row = byName.get(lease.name);
        if (row === undefined || row.token !== lease.token) lease.lose();
        else if (row.isExtended) lease.extend(requestedAtMs);
      }
      beatIn(rows.every((row) => row.isExtended) ? beatMs : beatMs / 5);
    } catch (error) {
      log.warn('Could not renew leases; retrying.', { reason: String(error) });
      beatIn(beatMs / 5);
    }
  }

  async function takeAnew(name: string): Promise<Lease | undefined> {
    const requestedAtMs = performance.now();
    const token = await takeName(pool, { name, owner, ttlMs });
    if (token === undefined || isClosed) return undefined;
    const lease = holdUntilLost(name, token, safeMs, () => {
      if (held.get(name) === lease) held.delete(name);
      if (held.size === 0) beatIn(0);
    });
    lease.extend(requestedAtMs);
    // The response may have taken longer than the lease is valid.
    if (!lease.isHeld()) return undefined;
    held.set(name, lease);
    if (timer === undefined) beatIn(beatMs);
    return lease;
  }

  return {
    owner,
    take: async (name) => {
      if (isClosed) return undefined;
      const known = held.get(name);
      if (known?.isHeld()) return known;
      const request = taking.get(name) ?? takeAnew(name).finally(() => taking.delete(name));
      taking.set(name, request);
      return request;
    },
    release: async (name) => {
      held.get(name)?.lose();
      await releaseNames(pool, owner, name).catch(() => undefined);
    },
    list: (prefix) => selectHeld(pool, prefix),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(timer);
      await Promise.allSettled(taking.values());
      for (const lease of [...held.values()]) lease.lose();
      // What cannot be released expires on its own.
      await releaseNames(pool, owner).catch(() => undefined);
    },
  };
}

function holdUntilLost(name: string, token: number, safeMs: number, forget: () => void): Held {
  const end = new AbortController();
  let safeUntilMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const lose = () => {
    clearTimeout(timer);
    safeUntilMs = Number.NEGATIVE_INFINITY;
    forget();
    end.abort(new LeaseLostError(name));
  };
  return {
    name,
    token,
    lost: end.signal,
    isHeld: () => {
      // A process that was frozen finds out here, before its timers could run.
      if (!end.signal.aborted && performance.now() >= safeUntilMs) lose();
      return !end.signal.aborted;
    },
    extend: (requestedAtMs) => {
      if (end.signal.aborted) return;
      safeUntilMs = requestedAtMs + safeMs;
      clearTimeout(timer);
      timer = setTimeout(lose, Math.max(0, safeUntilMs - performance.now()));
    },
    lose,
  };
}

/**
 * Fails a transaction if another holder has the name, and prevents that before the transaction ends: an earlier holder
 * that wakes up late writes nothing.
 */
export async function fence(tx: Tx, lease: Pick<Lease, 'name' | 'token'>): Promise<void> {
  const { rows } = await raw`
    select 1 from leases where name = ${lease.name} and token = ${lease.token} for share`.execute(tx);
  if (rows.length === 0) throw new LeaseLostError(lease.name);
}

/** Returns the database for one holder: its transactions fail once another one has the name. */
export function fencedBy(db: Database, lease: Lease): Database {
  return {
    ...db,
    transaction: (tenant, work) =>
      db.transaction(tenant, async (tx) => {
        if (tenant === 'system') await fence(tx, lease);
        return work(tx);
      }),
  };
}
