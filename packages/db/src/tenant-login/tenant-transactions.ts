import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type PostgresPoolClient,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import { oneFor } from '../share-reads.ts';
import type { Tables } from '../tables.ts';
import { traceStatement } from '../trace-statements.ts';
import type { Prove } from './proof.ts';

type Tx = Transaction<Tables>;

export interface TenantTransactions {
  run<Result>(owner: string, work: (tx: Tx) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export interface TenantOptions {
  pool: pg.Pool;
  prover(): Promise<Prove>;
  statementTimeoutMs: number;
}

const proofs = new WeakMap<object, (purpose: 'jobs', said: string) => string>();

/** Makes proofs for what is asked for in a tenant's transaction; undefined for the system, which needs none. */
export function proofIn(tx: object): ((purpose: 'jobs', said: string) => string) | undefined {
  return proofs.get(tx);
}

/** Transactions under the tenant login, each of which sees the rows of one owner. */
export function openTenantTransactions({ pool, prover, statementTimeoutMs }: TenantOptions): TenantTransactions {
  const driver = new TenantDriver({ pool: withLastResult(pool) }, beginning(statementTimeoutMs));
  const dialect = new PostgresDialect({ pool });
  const tenants = new Kysely<Tables>({
    log: traceStatement,
    dialect: {
      createDriver: () => driver,
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (db) => dialect.createIntrospector(db),
    },
  });
  return {
    run: async (owner, work) => {
      const prove = await prover();
      return tenants.transaction().execute(async (tx) => {
        const { connection, challenge } = await driver.begunOf(tx);
        proofs.set(tx, (purpose, said) => prove(challenge, purpose, said));
        return told(connection, prove(challenge, 'tenant', owner) + owner, async () => work(tx));
      });
    },
    close: () => tenants.destroy(),
  };
}

/**
 * Says whose transaction it is, and goes on without waiting for the answer: the database takes what a connection sends in
 * turn, so the first statement of `work` meets it said. If it could not be said, that is the error, not what came of it.
 */
async function told<Result>(
  connection: DatabaseConnection,
  said: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const saying = connection.executeQuery(CompiledQuery.raw(sayTenant, [said]));
  const [, done] = await Promise.allSettled([saying, work()]);
  await saying;
  if (done.status === 'rejected') throw done.reason;
  return done.value;
}

const sayTenant = "select set_config('latchkey.tenant', $1, true)";

/**
 * All that a transaction needs of its connection is set in the transaction, in one message: a pooler may give the next
 * transaction to another server connection. What injected SQL left behind on this one, such as a table that hides a real
 * one or another search path, is cleared away first.
 */
function beginning(statementTimeoutMs: number): string {
  return `
    begin isolation level read committed read write;
    reset all;
    discard temp;
    close all;
    select set_config('search_path', 'public, pg_temp', true),
      set_config('statement_timeout', '${statementTimeoutMs}', true),
      set_config('idle_in_transaction_session_timeout', '${statementTimeoutMs * 2}', true),
      public.tenant_challenge() as challenge`;
}

class TenantDriver extends PostgresDriver {
  readonly #beginning: string;
  readonly #challenges = new WeakMap<DatabaseConnection, string>();

  constructor(config: PostgresDialectConfig, beginning: string) {
    super(config);
    this.#beginning = beginning;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const { rows } = await connection.executeQuery<{ challenge: string }>(CompiledQuery.raw(this.#beginning));
    const [begun] = rows;
    if (begun === undefined) throw new Error('The database did not say which transaction it has begun.');
    this.#challenges.set(connection, begun.challenge);
  }

  async begunOf(tx: Tx): Promise<{ connection: DatabaseConnection; challenge: string }> {
    const connection = await tx.getExecutor().provideConnection(async (its) => its);
    const challenge = this.#challenges.get(connection);
    if (challenge === undefined) throw new Error('This is no transaction of a tenant.');
    return { connection, challenge };
  }
}

/** The pool as kysely uses it: of a message with several statements, pg answers a list, and the last one is what counts. */
function withLastResult(pool: pg.Pool): PostgresDialectConfig['pool'] {
  const lent = oneFor(
    (client: pg.PoolClient): PostgresPoolClient =>
      Object.create(client, {
        query: {
          value: async (text: string, values: unknown[]) => {
            sendTogether(client);
            const result: pg.QueryResult | pg.QueryResult[] = await client.query(text, values);
            return Array.isArray(result) ? result.at(-1) : result;
          },
        },
      }),
  );
  return { options: pool.options, end: () => pool.end(), connect: async () => lent(await pool.connect()) };
}

/** What is asked on a connection in one turn of this process leaves it in one write. */
function sendTogether(client: pg.PoolClient): void {
  if (!(client instanceof pg.Client)) return;
  const { stream } = client.connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
