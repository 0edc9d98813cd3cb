import pg from 'pg';
import { hostsIn, shownHost } from './database-url.ts';
import { PooledClient } from './pooled.ts';
import { reasonOf } from './reason.ts';
import { assertWritable, dropWhenReadOnly } from './writable.ts';

type ClientClass = new (config?: pg.ClientConfig) => pg.Client;

/** Shared by all who open the same database, so that they share one search. */
const primaries = new Map<string, Primary>();

/**
 * Returns the client class for this URL: it connects to the host that accepts writes, if the URL has several.
 * `isPooled` means that there is a transaction-mode pooler in between.
 */
export function clientsOf(url: string, { isPooled = false }: { isPooled?: boolean } = {}): ClientClass {
  const Base: ClientClass = isPooled ? PooledClient : pg.Client;
  const hosts = hostsIn(url);
  const [first = url] = hosts;
  if (hosts.length < 2) return Base;
  const primary = primaries.get(url) ?? watchPrimary(hosts);
  primaries.set(url, primary);
  return towards(primary, Base, first);
}

function towards(primary: Primary, Base: ClientClass, first: string): ClientClass {
  return class extends Base {
    constructor(config: pg.ClientConfig = {}) {
      super({ ...config, connectionString: first });
      // The opener is notified a moment after it is open, and an error without a listener would end the process.
      this.on('error', () => undefined);
      dropWhenReadOnly(this, primary.forget);
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
    override connect(
      callback?: ((error: Error) => void) | ((error: null, client: pg.Client) => void),
    ): Promise<pg.Client> | undefined {
      const opened = this.#open();
      if (callback === undefined) return opened;
      opened.then(
        () => Reflect.apply(callback, undefined, [null, this]),
        (error: unknown) => Reflect.apply(callback, undefined, [error]),
      );
      return undefined;
    }

    async #open(): Promise<pg.Client> {
      const { host, port } = new pg.Client(await primary.find());
      // The caller that waited for this connection has given up meanwhile.
      if (this.connection.stream.destroyed) throw new Error('timeout expired');
      Object.assign(this, { host, port });
      try {
        return await super.connect();
      } catch (error) {
        primary.forget();
        throw error;
      }
    }
  };
}

/** Creates a client for a URL. */
export function newClient(url: string, config: Omit<pg.ClientConfig, 'connectionString'> = {}): pg.Client {
  const Client = clientsOf(url);
  return new Client({ ...config, connectionString: url });
}

/**
 * Refuses a connection to a server that does not accept writes, and makes the next one look for the host that does: a
 * former primary may have come back as a standby.
 */
export async function assertPrimary(url: string, query: (text: string) => Promise<readonly object[]>): Promise<void> {
  try {
    await assertWritable(query);
  } catch (error) {
    primaries.get(url)?.forget();
    throw error;
  }
}

/** Knows which of several hosts accepts writes. */
interface Primary {
  find(): Promise<string>;
  /** Drops the known host: the next caller searches again. */
  forget(): void;
}

const patienceMs = 2_000;

/** Queries all hosts at once, so that one that drops packets delays no other. The first that accepts writes is used. */
function watchPrimary(urls: readonly string[]): Primary {
  let known: Promise<string> | undefined;
  return {
    find: () => {
      known ??= findWritable(urls).catch((error: unknown) => {
        known = undefined;
        throw error;
      });
      return known;
    },
    forget: () => {
      known = undefined;
    },
  };
}

async function findWritable(urls: readonly string[]): Promise<string> {
  try {
    return await Promise.any(urls.map(askHost));
  } catch (error) {
    const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
    const reasons = urls.map((url, at) => `${shownHost(url)}: ${reasonOf(errors[at])}`);
    throw new AggregateError(errors, `No database host accepts writes (${reasons.join('; ')}).`);
  }
}

async function askHost(url: string): Promise<string> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'latchkey',
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await assertWritable(async (text) => (await client.query<object>(text)).rows);
    return url;
  } finally {
    // A silent host does not close the connection either.
    client.end().catch(() => undefined);
    setTimeout(() => client.connection.stream.destroy(), patienceMs).unref();
  }
}
