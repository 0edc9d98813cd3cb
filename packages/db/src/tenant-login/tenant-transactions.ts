import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type PostgresPoolClient,
  sql,
  type Transaction,
} from 'kysely';
import type pg from 'pg';
import type { Tables } from '../tables.ts';
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
        const challenge = await driver.challengeOf(tx);
        proofs.set(tx, (purpose, said) => prove(challenge, purpose, said));
        await sql`select set_config('latchkey.tenant', ${prove(challenge, 'tenant', owner) + owner}, true)`.execute(tx);
        return work(tx);
      });
    },
    close: () => tenants.destroy(),
  };
}

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

  async challengeOf(tx: Tx): Promise<string> {
    const challenge = await tx.getExecutor().provideConnection(async (connection) => this.#challenges.get(connection));
    if (challenge === undefined) throw new Error('This is no transaction of a tenant.');
    return challenge;
  }
}

/** Of a message with several statements, pg answers a list; the last one is what counts. */
function withLastResult(pool: pg.Pool): PostgresDialectConfig['pool'] {
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client: PostgresPoolClient = await pool.connect();
      return new Proxy(client, {
        get: (target, name) =>
          name === 'query'
            ? async (text: string, values: readonly unknown[]) => {
                const result = await target.query(text, values);
                return Array.isArray(result) ? result.at(-1) : result;
              }
            : Reflect.get(target, name, target),
      });
    },
  };
}
