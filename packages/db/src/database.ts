import { Socket } from 'node:net';
import type { Log } from '@latchkey/kernel';
import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { assertPrimary, clientsOf } from './connection/clients.ts';
import { dropWhenReadOnly } from './connection/writable.ts';
import { traced } from './origin.ts';
import type { Tables } from './tables.ts';
import { proveWith } from './tenant-login/proof.ts';
import { type Isolation, openTenantTransactions } from './tenant-login/tenant-transactions.ts';
import { traceStatement, transactionSpan } from './trace-statements.ts';

/** Anything queries can be written against: a connection pool or an open transaction. */
export type Sql = Kysely<Tables>;
export type Tx = Transaction<Tables>;

/** Whose rows a transaction may see: one owner's, or every row for work that no single tenant requested. */
export type Tenant = { owner: string } | 'system';

export interface Database {
  /** Sees the rows of every tenant: for authentication, jobs and the operator's commands. */
  system: Sql;
  /** The pool of `system`, for hot paths that use a named statement. */
  pool: pg.Pool;
  /** How to open a session connection. */
  directConnection: DirectConnection;
  /** Runs `work` in one transaction that sees only the rows of `tenant`; row-level policies enforce that. */
  transaction<Result>(
    tenant: Tenant,
    work: (tx: Tx) => Promise<Result>,
    options?: { isolation?: Isolation },
  ): Promise<Result>;
  close(): Promise<void>;
}

export type DirectConnection = pg.ClientConfig & { connectionString: string };

export interface DatabaseOptions {
  /** The database with its owner's login: the system. */
  url: string;
  /** The same without the transaction-mode pooler of `url`. Defaults to `url`. */
  directUrl?: string;
  /** The same database for the tenant login. Without it there are no tenant transactions. */
  tenantUrl?: string;
  log: Log;
  maxConnections?: number;
  /** How long a request may wait for a connection before it fails with 503. */
  connectTimeoutMs?: number;
  statementTimeoutMs?: number;
}

// bigint columns contain counters and epoch times here, all far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, (value) => Number(value));

// The database responds to every statement within its time limit, so a connection that is silent for longer is dead,
// even without an error: a network can drop packets, and a frozen server keeps its connections.
const silenceMs = 1_000;

// A connection to an outdated target, behind a name or a proxy, is closed within this time.
const longestLifeSeconds = 15 * 60;

interface PoolOptions {
  url: string;
  /** Settings of each new connection. Empty if a pooler would pass them to another client. */
  prepare?: string;
  /** Whether a pooler prevents named statements, which are planned once for the life of a connection. */
  isPooled?: boolean;
  /** Statements are sent without waiting for the responses to earlier ones. */
  pipeline?: boolean;
}

// No settings are sent when a connection is opened: poolers refuse unknown ones.
function openPool(
  options: DatabaseOptions,
  { url, prepare, isPooled = false, pipeline = false }: PoolOptions,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    pipeline,
    max: Math.max(2, Math.floor((options.maxConnections ?? 20) / 2)),
    Client: clientsOf(url, { isPooled }),
    maxLifetimeSeconds: longestLifeSeconds,
    ...lineOf(options),
    application_name: 'latchkey',
    onConnect: async (client) => {
      client.on('error', () => undefined);
      if (client instanceof pg.Client) dropWhenSilent(client, statementTimeoutOf(options) + silenceMs);
      dropWhenReadOnly(client);
      if (prepare !== undefined) await client.query(prepare);
      await assertPrimary(url, async (text) => (await client.query<object>(text)).rows);
    },
  });
  // Without a listener an idle connection that the database closes would end the process.
  pool.on('error', (error) => options.log.warn('A database connection was lost.', { reason: error.message }));
  return pool;
}

function lineOf({ connectTimeoutMs = 2_000 }: DatabaseOptions) {
  return { connectionTimeoutMillis: connectTimeoutMs, keepAlive: true };
}

function dropWhenSilent(client: pg.Client, patienceMs: number): void {
  const { stream } = client.connection;
  if (!(stream instanceof Socket)) return;
  stream.setTimeout(patienceMs, () =>
    stream.destroy(new Error('Connection terminated because the database did not respond in time.')),
  );
}

/** How long a statement may take. */
export const usualStatementTimeoutMs = 15_000;

function statementTimeoutOf({ statementTimeoutMs = usualStatementTimeoutMs }: DatabaseOptions): number {
  return statementTimeoutMs;
}

export function openDatabase(options: DatabaseOptions): Database {
  const { url, directUrl = url, tenantUrl } = options;
  const isPooled = directUrl !== url;
  const statementTimeoutMs = statementTimeoutOf(options);
  const prepare = `set statement_timeout = ${statementTimeoutMs}; set idle_in_transaction_session_timeout = ${statementTimeoutMs * 2}`;
  const systemPool = openPool(options, isPooled ? { url, isPooled } : { url, prepare });
  const system = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: systemPool }), log: traceStatement });
  const tenants =
    tenantUrl === undefined
      ? undefined
      : openTenantTransactions({
          pool: openPool(options, { url: tenantUrl, pipeline: true }),
          prover: proveWith(systemPool),
          statementTimeoutMs,
        });
  return {
    system,
    pool: systemPool,
    directConnection: { connectionString: directUrl, ...lineOf(options) },
    transaction: (tenant, work, { isolation = 'read committed' } = {}) =>
      traced(transactionSpan, async () => {
        if (tenant === 'system') return system.transaction().setIsolationLevel(isolation).execute(work);
        if (tenants === undefined) throw new Error('This database was opened without the tenant login.');
        return tenants.run(tenant.owner, work, isolation);
      }),
    close: async () => {
      await Promise.all([system.destroy(), tenants?.close()]);
    },
  };
}
