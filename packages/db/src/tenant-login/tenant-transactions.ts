import { AbortedTransactionError, DummyDriver, PostgresDialect, Transaction } from 'kysely';
import pg from 'pg';
import { oneFor } from '../share-reads.ts';
import type { Tables } from '../tables.ts';
import { PlainMessage, plainQuery } from './plain-message.ts';
import type { Prove } from './proof.ts';
import { TenantConnection, TenantExecutor } from './tenant-connection.ts';

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
