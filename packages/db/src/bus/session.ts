import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@latchkey/kernel';
import pg from 'pg';
import { assertPrimary, clientsOf } from '../connection/clients.ts';
import { reasonOf } from '../connection/reason.ts';
import type { DirectConnection } from '../database.ts';

/** One open connection. Statements run one after the other. */
export interface Session {
  /** A named statement is planned once for the life of the connection. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[], name?: string): Promise<Row[]>;
}

export interface SessionOptions {
  connection: DirectConnection;
  log: Log;
  /** Runs on every new connection. A failure here closes it and tries again. */
  opened(session: Session): Promise<void>;
  /** An open session was lost, and with it everything it held: locks, listeners, settings. */
  lost?(): void;
  onMessage?(channel: string, message: string): void;
  /** How long a statement may take; a connection that is silent for half as long again counts as lost. */
  patienceMs: number;
}

export interface KeptSession {
  close(): Promise<void>;
}

const firstPauseMs = 50;
const longestPauseMs = 1_000;

/**
 * Keeps one connection open until it is closed. When the database goes away the session reports it, and reconnects within
 * about a second of its return. No error of the connection ever reaches the process.
 */
export function keepSession(options: SessionOptions): KeptSession {
  const ended = new AbortController();
  const done = keepOpen(options, ended.signal);
  return {
    close: async () => {
      ended.abort();
      await done;
    },
  };
}

async function keepOpen(options: SessionOptions, ended: AbortSignal): Promise<void> {
  let failures = 0;
  while (!ended.aborted) {
    try {
      await live(options, ended, () => {
        if (failures > 0) options.log.info('The database session is open again.');
        failures = 0;
      });
    } catch (error) {
      failures += 1;
      // An hour without a database logs one line, not one per attempt.
      options.log[failures === 1 ? 'warn' : 'debug']('The database session was lost; reconnecting.', {
        reason: reasonOf(error),
      });
    }
    const pauseMs = Math.min(firstPauseMs * 2 ** failures, longestPauseMs);
    await delay(pauseMs, undefined, { signal: ended }).catch(() => undefined);
  }
}

/** The lifetime of one connection: returns when stopped, throws when the connection is lost. */
async function live(options: SessionOptions, ended: AbortSignal, announce: () => void): Promise<void> {
  const Client = clientsOf(options.connection.connectionString);
  const client = new Client({ ...options.connection, query_timeout: options.patienceMs * 1.5 });
  const broken = new Promise<Error>((resolve) => {
    client.on('error', resolve);
    client.on('end', () => resolve(new Error('The connection was closed.')));
  });
  const session = serialize(client);
  const over = new AbortController();
  client.on('notification', ({ channel, payload }) => options.onMessage?.(channel, payload ?? ''));
  let isOpen = false;
  try {
    await client.connect();
    // Not set when the connection is opened: a pooler would refuse it.
    await session.query(`set statement_timeout = ${options.patienceMs}`);
    await assertPrimary(options.connection.connectionString, (text) => session.query(text));
    await options.opened(session);
    isOpen = true;
    announce();
    const error = await Promise.race([
      broken,
      watch(session, options.patienceMs, AbortSignal.any([ended, over.signal])),
    ]);
    if (error) throw error;
  } finally {
    over.abort();
    if (isOpen) options.lost?.();
    await hangUp(client, options.patienceMs);
  }
}

// A connection can be dead without either side noticing, so it is probed regularly.
async function watch(session: Session, patienceMs: number, ended: AbortSignal): Promise<Error | undefined> {
  while (!ended.aborted) {
    await delay(patienceMs, undefined, { signal: ended }).catch(() => undefined);
    if (ended.aborted) return undefined;
    try {
      await session.query('select 1');
    } catch (error) {
      return error instanceof Error ? error : new Error(reasonOf(error));
    }
  }
  return undefined;
}

function serialize(client: pg.Client): Session {
  let last: Promise<unknown> = Promise.resolve();
  return {
    query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = [], name?: string): Promise<Row[]> {
      const answer = last
        .then(() => client.query<Row>({ text, values, ...(name && { name }) }))
        .then(({ rows }) => rows);
      last = answer.catch((error) => {
        // After a timeout, responses no longer match requests: the connection must not be used again.
        if (!(error instanceof pg.DatabaseError)) client.connection.stream.destroy();
      });
      return answer;
    },
  };
}

// A broken connection may never confirm its end, so nothing here waits for a response.
async function hangUp(client: pg.Client, patienceMs: number): Promise<void> {
  const giveUp = new AbortController();
  const enough = delay(patienceMs, undefined, { signal: giveUp.signal }).catch(() => undefined);
  await Promise.race([client.end().catch(() => undefined), enough]);
  giveUp.abort();
  client.connection.stream.destroy();
}
