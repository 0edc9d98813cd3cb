import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  DummyDriver,
  PostgresDialect,
  type QueryResult,
  Transaction,
} from 'kysely';
import pg from 'pg';
import { isTraced } from '../origin.ts';
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

type ProveInTx = (purpose: 'jobs', said: string) => string;

/** Makes proofs for what is asked for in a tenant's transaction; undefined for the system, which needs none. */
export function proofIn(tx: object): ProveInTx | undefined {
  return tx instanceof TenantTransaction ? tx.prove : undefined;
}

class TenantTransaction extends Transaction<Tables> {
  readonly prove: ProveInTx;

  constructor(props: TransactionProps, prove: ProveInTx) {
    super(props);
    this.prove = prove;
  }
}

type TransactionProps = ConstructorParameters<typeof Transaction<Tables>>[0];

/** Transactions under the tenant login, each of which sees the rows of one owner. */
export function openTenantTransactions({ pool, prover, statementTimeoutMs }: TenantOptions): TenantTransactions {
  const begin = beginning(statementTimeoutMs);
  const dialect = new PostgresDialect({ pool });
  const [compiler, adapter] = [dialect.createQueryCompiler(), dialect.createAdapter()];
  const common = { config: { dialect }, dialect, driver: new DummyDriver() };

  /** Answers how it ended; throws only where the connection is in no known state. */
  async function transact<Result>(
    client: pg.PoolClient,
    { owner, prove }: { owner: string; prove: Prove },
    work: (tx: Tx) => Promise<Result>,
  ): Promise<Ended<Result>> {
    const challenge = await readChallenge(client, begin);
    const connection = new TenantConnection(client);
    const executor = new TenantExecutor(compiler, adapter, connection);
    const proveHere: ProveInTx = (purpose, said) => prove(challenge, purpose, said);
    const tx = new TenantTransaction({ ...common, executor }, proveHere);
    try {
      const result = await told(client, prove(challenge, 'tenant', owner) + owner, () => work(tx));
      connection.end();
      // A transaction in which a statement failed is rolled back, also by this.
      if ((await client.query('commit')).command === 'ROLLBACK') return { error: new AbortedTransactionError() };
      return { result };
    } catch (error) {
      connection.end();
      await client.query('rollback').catch(() => {
        throw error;
      });
      return { error };
    }
  }

  return {
    run: async (owner, work) => {
      const prove = await prover();
      const client = await pool.connect();
      // An exception left the connection in an unknown state.
      const ended = await transact(client, { owner, prove }, work).catch((error: unknown) => {
        client.release(true);
        throw error;
      });
      client.release();
      if ('error' in ended) throw ended.error;
      return ended.result;
    },
    close: () => pool.end(),
  };
}

type Ended<Result> = { result: Result } | { error: unknown };

/**
 * Says whose transaction it is, and goes on without waiting for the answer: the database takes what a connection sends in
 * turn, so the first statement of `work` meets it said. If it could not be said, that is the error, not what came of it.
 */
async function told<Result>(client: pg.PoolClient, said: string, work: () => Promise<Result>): Promise<Result> {
  // A NUL would end the message early.
  if (said.includes('\0')) throw new Error('A tenant’s name cannot contain a NUL character.');
  // A text that broke out of its quotes would be no more than SQL in this transaction, which proves nothing.
  const saying = client.query(`set local latchkey.tenant = ${pg.escapeLiteral(said)}`);
  // It is awaited only after the work, and may fail before.
  saying.catch(() => undefined);
  try {
    return await work();
  } finally {
    await saying;
  }
}

/** Begins a transaction and answers what the proof of its tenant is made from. */
async function readChallenge(client: pg.PoolClient, begin: string): Promise<string> {
  // pg answers a list with one result for each statement, which its types leave out.
  const results: unknown = await client.query<{ tenant_challenge: string }>(begin);
  const last = (results as pg.QueryResult<{ tenant_challenge: string }>[]).at(-1);
  return last?.rows[0]?.tenant_challenge ?? '';
}

/**
 * All that a transaction needs of its connection is set in the transaction, in one message: a pooler may give the next
 * transaction to another server connection. What injected SQL left behind on this one, such as a table that hides a real
 * one or another search path, is cleared away first.
 */
function beginning(statementTimeoutMs: number): string {
  return `begin isolation level read committed read write;
    reset all;
    discard temp;
    close all;
    select public.tenant_challenge(),
      set_config('search_path', 'public, pg_temp', true),
      set_config('statement_timeout', '${statementTimeoutMs}', true),
      set_config('idle_in_transaction_session_timeout', '${statementTimeoutMs * 2}', true)`;
}

/** A connection for the length of one transaction. Code that keeps it can do nothing with it later. */
class TenantConnection implements DatabaseConnection {
  readonly #client: pg.Client;
  #isOver = false;

  constructor(client: pg.Client) {
    this.#client = client;
  }

  /** The connection is returned to the pool from here on. */
  end(): void {
    this.#isOver = true;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#isOver) throw new Error('This statement’s transaction has already ended.');
    const result: pg.QueryResult | pg.QueryResult[] = await this.#ask(query);
    // Of a message with several statements pg answers a list, and the last one is what counts.
    return toQueryResult<Row>(Array.isArray(result) ? result.at(-1) : result);
  }

  streamQuery(): never {
    throw new Error('A tenant’s transaction reads all rows at once.');
  }

  #ask(query: CompiledQuery): Promise<pg.QueryResult> {
    return isTraced() ? this.#askTraced(query) : this.#client.query(query.sql, [...query.parameters]);
  }

  async #askTraced(query: CompiledQuery): Promise<pg.QueryResult> {
    const startedMs = performance.now();
    const told = () => ({ query, queryDurationMillis: performance.now() - startedMs });
    try {
      const result = await this.#client.query(query.sql, [...query.parameters]);
      traceStatement({ level: 'query', ...told() });
      return result;
    } catch (error) {
      traceStatement({ level: 'error', error, ...told() });
      throw error;
    }
  }
}

const changing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

function toQueryResult<Row>(result: pg.QueryResult | undefined): QueryResult<Row> {
  if (result === undefined) return { rows: [] };
  const { command, rowCount, rows } = result;
  return changing.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
}

/** Goes straight to the connection: no plugins here change a statement or its result. */
class TenantExecutor extends DefaultQueryExecutor {
  readonly #connection: TenantConnection;

  constructor(compiler: Compiler, adapter: Adapter, connection: TenantConnection) {
    super(compiler, adapter, { provideConnection: async (consumer) => consumer(connection) });
    this.#connection = connection;
  }

  override executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#connection.executeQuery<Row>(query);
  }
}

type Compiler = ConstructorParameters<typeof DefaultQueryExecutor>[0];
type Adapter = ConstructorParameters<typeof DefaultQueryExecutor>[1];
