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

/**
 * `serializable`: nothing that `work` read or wrote may have been changed meanwhile by another transaction of that
 * kind, and nothing that it wrote by any. Otherwise it fails and can be repeated (`isLostRace`).
 */
export type Isolation = 'read committed' | 'serializable';

export interface TenantTransactions {
  run<Result>(owner: string, work: (tx: Tx) => Promise<Result>, isolation: Isolation): Promise<Result>;
  close(): Promise<void>;
}

export interface TenantOptions {
  pool: pg.Pool;
  prover(): Promise<Prove>;
  statementTimeoutMs: number;
}

type ProveInTx = (purpose: 'jobs', message: string) => string;

/** Returns the function that creates proofs in a tenant's transaction; undefined for the system, which needs none. */
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

/** Runs transactions under the tenant login, each of which sees the rows of one owner. */
export function openTenantTransactions({ pool, prover, statementTimeoutMs }: TenantOptions): TenantTransactions {
  const begins: Readonly<Record<Isolation, string>> = {
    'read committed': beginning('read committed', statementTimeoutMs),
    serializable: beginning('serializable', statementTimeoutMs),
  };
  const dialect = new PostgresDialect({ pool });
  const [compiler, adapter] = [dialect.createQueryCompiler(), dialect.createAdapter()];
  const common = { config: { dialect }, dialect, driver: new DummyDriver() };

  /** Returns how it ended; throws only if the connection is in an unknown state. */
  async function transact<Result>(
    client: pg.PoolClient,
    { owner, prove, isolation }: { owner: string; prove: Prove; isolation: Isolation },
    work: (tx: Tx) => Promise<Result>,
  ): Promise<Ended<Result>> {
    const challenge = await readChallenge(client, begins[isolation]);
    const connection = new TenantConnection(client);
    const executor = new TenantExecutor(compiler, adapter, connection);
    const proveHere: ProveInTx = (purpose, message) => prove(challenge, purpose, message);
    const tx = new TenantTransaction({ ...common, executor }, proveHere);
    try {
      const result = await reported(client, prove(challenge, 'tenant', owner) + owner, () => work(tx));
      connection.end();
      // Committing a transaction in which a statement failed rolls it back.
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
    run: async (owner, work, isolation) => {
      const prove = await prover();
      const client = await pool.connect();
      // An exception left the connection in an unknown state.
      const ended = await transact(client, { owner, prove, isolation }, work).catch((error: unknown) => {
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
 * Sets the tenant of a transaction, and continues without waiting for the response: the database processes a
 * connection's statements in order, so the first statement of `work` already has the tenant. If setting it failed, that
 * is the error, not what followed from it.
 */
async function reported<Result>(client: pg.PoolClient, message: string, work: () => Promise<Result>): Promise<Result> {
  // A NUL would end the message early.
  if (message.includes('\0')) throw new Error('A tenant’s name cannot contain a NUL character.');
  // A text that broke out of its quotes would only be SQL in this transaction, which proves nothing.
  const saying = client.query(`set local latchkey.tenant = ${pg.escapeLiteral(message)}`);
  // It is awaited only after the work, and may fail before.
  saying.catch(() => undefined);
  try {
    return await work();
  } finally {
    await saying;
  }
}

/** Begins a transaction and returns the challenge for the proof of its tenant. */
async function readChallenge(client: pg.PoolClient, begin: string): Promise<string> {
  // For several statements, pg returns one result each, which its types leave out.
  const results: unknown = await client.query<{ tenant_challenge: string }>(begin);
  const last = (results as pg.QueryResult<{ tenant_challenge: string }>[]).at(-1);
  return last?.rows[0]?.tenant_challenge ?? '';
}

/**
 * Everything that a transaction needs of its connection is set in the transaction, in one message: a pooler may give
 * the next transaction to another server connection. What injected SQL left behind on this one, such as a table that
 * shadows a real one or another search path, is cleared first.
 */
function beginning(isolation: Isolation, statementTimeoutMs: number): string {
  return `begin isolation level ${isolation} read write;
    reset all;
    discard temp;
    close all;
    select public.tenant_challenge(),
      set_config('search_path', 'public, pg_temp', true),
      set_config('statement_timeout', '${statementTimeoutMs}', true),
      set_config('idle_in_transaction_session_timeout', '${statementTimeoutMs * 2}', true)`;
}

/** A connection for the duration of one transaction. Code that keeps it cannot use it later. */
class TenantConnection implements DatabaseConnection {
  readonly #client: pg.Client;
  #isOver = false;

  constructor(client: pg.Client) {
    this.#client = client;
  }

  /** From here on, the connection is back in the pool. */
  end(): void {
    this.#isOver = true;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#isOver) throw new Error('This statement’s transaction has already ended.');
    const result: pg.QueryResult | pg.QueryResult[] = await this.#ask(query);
    // For a message with several statements pg returns a list, and the last one counts.
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
    const reported = () => ({ query, queryDurationMillis: performance.now() - startedMs });
    try {
      const result = await this.#client.query(query.sql, [...query.parameters]);
      traceStatement({ level: 'query', ...reported() });
      return result;
    } catch (error) {
      traceStatement({ level: 'error', error, ...reported() });
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

/** Calls the connection directly: no plugins here change a statement or its result. */
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
