import { Socket } from 'node:net';
import type { Log } from '@latchkey/kernel';
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import type { Tables } from './tables.ts';

/** Anything queries can be written against: a connection pool or an open transaction. */
export type Sql = Kysely<Tables>;
export type Tx = Transaction<Tables>;

/** Whose rows a transaction may see: one owner's, or every row for work no single tenant asked for. */
export type Tenant = { owner: string } | 'system';

export interface Database {
  /** Sees the rows of every tenant: for authentication, jobs and the operator's commands. */
  system: Sql;
  /** The pool behind `system`, for hot paths that use a named statement. */
  pool: pg.Pool;
  /** Runs `work` in one transaction that sees only the rows of `tenant`; row-level policies hold it to that. */
  transaction<Result>(tenant: Tenant, work: (tx: Tx) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  log: Log;
  maxConnections?: number;
  /** How long a request may wait for a connection before it is answered with 503. */
  connectTimeoutMs?: number;
  statementTimeoutMs?: number;
}

// bigint columns hold counters and epoch times here, all far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, (value) => Number(value));

// The database answers every statement within its time limit, so a connection that is silent for longer is dead,
// though nobody may ever say so: a network can swallow packets, and a frozen server keeps its connections.
const silenceMs = 1_000;

function openPool(options: DatabaseOptions, tenant: string, share: number): pg.Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? 15_000;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: Math.max(2, Math.floor((options.maxConnections ?? 20) * share)),
    connectionTimeoutMillis: options.connectTimeoutMs ?? 2_000,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs * 2,
    keepAlive: true,
    application_name: 'latchkey',
    options: `-c latchkey.tenant=${tenant}`,
  });
  // Without a listener an idle connection that the database closes would end the process.
  pool.on('error', (error) => options.log.warn('A database connection was lost.', { reason: error.message }));
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    const { stream } = client.connection;
    if (!(stream instanceof Socket)) return;
    stream.setTimeout(statementTimeoutMs + silenceMs, () =>
      stream.destroy(new Error('Connection terminated because the database was silent for too long.')),
    );
  });
  return pool;
}

export function openDatabase(options: DatabaseOptions): Database {
  const systemPool = openPool(options, '*', 0.5);
  const tenantPool = openPool(options, '', 0.5);
  const system = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: systemPool }) });
  const tenants = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: tenantPool }) });
  return {
    system,
    pool: systemPool,
    transaction: async (tenant, work) => {
      if (tenant === 'system') return system.transaction().execute(work);
      if (tenant.owner === '*') throw new Error('A tenant may not be called *, which stands for all of them.');
      return tenants.transaction().execute(async (tx) => {
        await sql`select set_config('latchkey.tenant', ${tenant.owner}, true)`.execute(tx);
        return work(tx);
      });
    },
    close: async () => {
      await Promise.all([system.destroy(), tenants.destroy()]);
    },
  };
}
