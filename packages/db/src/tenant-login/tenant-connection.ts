import { type CompiledQuery, type DatabaseConnection, DefaultQueryExecutor, type QueryResult } from 'kysely';
import type pg from 'pg';
import { isTraced } from '../origin.ts';
import { traceStatement } from '../trace-statements.ts';

/** A connection for the length of one transaction. Whoever kept it reaches nothing with it later. */
export class TenantConnection implements DatabaseConnection {
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
export class TenantExecutor extends DefaultQueryExecutor {
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
