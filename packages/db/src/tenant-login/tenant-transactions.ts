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
import { oneFor } from '../share-reads.ts';
import type { Tables } from '../tables.ts';
import { traceStatement } from '../trace-statements.ts';
import type { Prove } from './proof.ts';

/**
 * What a connection sends as a simple query, one after the other. Of each answer only what was said last is kept: the
 * first column of a row or else the first command that was done. A query of pg would build a result for each statement.
 */
class PlainMessage extends pg.Query {
  readonly #client: pg.Client;
  #bytes: Buffer | undefined;
  #said = '';
  #waiting: PromiseWithResolvers<string> | undefined;

  constructor(client: pg.PoolClient) {
    super('');
    this.#client = client;
  }

  /** The message before must have been answered. */
  send(bytes: Buffer): Promise<string> {
    this.#bytes = bytes;
    this.#said = '';
    this.#waiting = Promise.withResolvers<string>();
    this.#client.query(this);
    return this.#waiting.promise;
  }

  /** The same, in one write with what is asked of the connection in this turn of the process. */
  sendAhead(bytes: Buffer): Promise<string> {
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
    const answered = this.send(bytes);
    // Whoever sent it looks at the answer later than it may come.
    answered.catch(() => undefined);
    return answered;
  }

  // Below is what pg calls, in place of what its own queries do.
  override submit = ({ stream }: pg.Connection): null => {
    stream.write(this.#bytes);
    return null;
  };

  handleRowDescription(): void {}

  handleDataRow({ fields: [first] }: { fields: readonly (string | null)[] }): void {
    this.#said = first ?? '';
  }

  handleCommandComplete({ text }: { text: string }): void {
    if (this.#said === '') this.#said = text;
  }

  handleReadyForQuery(): void {
    this.#waiting?.resolve(this.#said);
  }

  handleError(error: Error): void {
    this.#waiting?.reject(error);
  }
}

/** The letter, the length and the text with a zero behind it (PostgreSQL’s protocol 3, Query). */
function plainQuery(text: string): Buffer {
  if (text.includes('\0')) throw new Error('A statement cannot hold a NUL.');
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(length + 6);
  bytes.write('Q');
  bytes.writeInt32BE(length + 5, 1);
  bytes.write(text, 5);
  bytes.writeUInt8(0, length + 5);
  return bytes;
}

type Tx = Transaction<Tables>;

export interface TenantTransactions {
  run<Result>(order: TenantOrder, work: (tx: Tx) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export interface TenantOrder {
  owner: string;
  /** The work sends one statement, and no more: its commit goes with it. */
  isOneStatement: boolean;
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
  const begin = plainQuery(beginning(statementTimeoutMs));
  const dialect = new PostgresDialect({ pool });
  const [compiler, adapter] = [dialect.createQueryCompiler(), dialect.createAdapter()];
  const common = { config: { dialect }, dialect, driver: new DummyDriver() };

  /** Answers how it ended; throws only where the connection is in no known state. */
  async function transact<Result>(
    client: pg.PoolClient,
    { owner, isOneStatement, prove }: TenantOrder & { prove: Prove },
    work: (tx: Tx) => Promise<Result>,
  ): Promise<Ended<Result>> {
    const message = messageOf(client);
    const challenge = await message.send(begin);
    const sendCommit = () => lastMessageOf(client).send(commit);
    const connection = new TenantConnection(client, isOneStatement ? sendCommit : undefined);
    const executor = new TenantExecutor(compiler, adapter, connection);
    const proveHere: ProveInTx = (purpose, said) => prove(challenge, purpose, said);
    const tx = new TenantTransaction({ ...common, executor }, proveHere);
    try {
      const result = await told(message, prove(challenge, 'tenant', owner) + owner, () => work(tx));
      connection.end();
      // A transaction in which a statement failed is rolled back, also by this.
      if ((await (connection.committed ?? sendCommit())) === 'ROLLBACK')
        return { error: new AbortedTransactionError() };
      return { result };
    } catch (error) {
      connection.end();
      await (connection.committed ?? message.send(rollback)).catch(() => {
        throw error;
      });
      return { error };
    }
  }

  return {
    run: async (order, work) => {
      const prove = await prover();
      const client = await pool.connect();
      // What has thrown left the connection in a state that nobody knows.
      const ended = await transact(client, { ...order, prove }, work).catch((error: unknown) => {
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

const messageOf = oneFor((client: pg.PoolClient) => new PlainMessage(client));
/** May be sent before the other one is answered. */
const lastMessageOf = oneFor((client: pg.PoolClient) => new PlainMessage(client));

/**
 * Says whose transaction it is, and goes on without waiting for the answer: the database takes what a connection sends in
 * turn, so the first statement of `work` meets it said. If it could not be said, that is the error, not what came of it.
 */
async function told<Result>(message: PlainMessage, said: string, work: () => Promise<Result>): Promise<Result> {
  // A text that broke out of its quotes would be no more than SQL in this transaction, which proves nothing.
  const saying = message.sendAhead(plainQuery(`set local latchkey.tenant = ${pg.escapeLiteral(said)}`));
  try {
    return await work();
  } finally {
    await saying;
  }
}

const commit = plainQuery('commit');
const rollback = plainQuery('rollback');

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

/** A connection for the length of one transaction. Whoever kept it reaches nothing with it later. */
class TenantConnection implements DatabaseConnection {
  readonly #client: pg.Client;
  #isOver = false;
  readonly #commit: (() => Promise<string>) | undefined;
  #committed: Promise<string> | undefined;

  /** `commit` is sent with the first statement, which is the only one then. */
  constructor(client: pg.Client, commit?: () => Promise<string>) {
    this.#client = client;
    this.#commit = commit;
  }

  /** What came of the commit, if it was sent. */
  get committed(): Promise<string> | undefined {
    return this.#committed;
  }

  /** The connection is somebody else's from here on. */
  end(): void {
    this.#isOver = true;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#isOver) throw new Error('The transaction of this statement is over.');
    const answered = this.#commit === undefined ? this.#ask(query) : this.#askAndCommit(query, this.#commit);
    const result: pg.QueryResult | pg.QueryResult[] = await answered;
    // Of a message with several statements pg answers a list, and the last one is what counts.
    return toQueryResult<Row>(Array.isArray(result) ? result.at(-1) : result);
  }

  streamQuery(): never {
    throw new Error('A tenant’s transaction reads all rows at once.');
  }

  #ask(query: CompiledQuery): Promise<pg.QueryResult> {
    return isTraced() ? this.#askTraced(query) : this.#client.query(query.sql, [...query.parameters]);
  }

  /** In one write. If the statement fails, the commit behind it rolls back. */
  #askAndCommit(query: CompiledQuery, commit: () => Promise<string>): Promise<pg.QueryResult> {
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
    const answered = this.#ask(query);
    this.end();
    this.#committed = commit();
    // Whoever waits for the statement looks at this later than it may come.
    this.#committed.catch(() => undefined);
    return answered;
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

/** Goes straight to the connection: there are no plugins here that would change a statement or its answer. */
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
