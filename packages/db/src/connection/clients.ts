import pg from 'pg';
import { hostsIn, shownHost } from './database-url.ts';
import { PooledClient } from './pooled.ts';
import { reasonOf } from './reason.ts';
import { assertWritable, dropWhenReadOnly } from './writable.ts';

type ClientClass = new (config?: pg.ClientConfig) => pg.Client;

/** Shared by all who open the same database, so that one search serves them. */
const primaries = new Map<string, Primary>();

/**
 * The kind of client that opens this URL: it goes to the host that takes writes, where the URL names several. `isPooled`
 * says that a pooler in transaction mode is between.
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
      // The opener is notified a moment after it is open, and an error without a listener ends the process.
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

/** A client that goes where the URL leads. */
export function newClient(url: string, config: Omit<pg.ClientConfig, 'connectionString'> = {}): pg.Client {
  const Client = clientsOf(url);
  return new Client({ ...config, connectionString: url });
}

/**
 * Refuses a connection to a server that takes no writes, and has the next one look for the host that does: one that was the
 * primary when it was last asked may have come back as a standby.
 */
export async function assertPrimary(url: string, query: (text: string) => Promise<readonly object[]>): Promise<void> {
  try {
    await assertWritable(query);
  } catch (error) {
    primaries.get(url)?.forget();
    throw error;
  }
}

/** Knows which of several hosts takes writes. */
interface Primary {
  find(): Promise<string>;
  /** The host that was found is of no use any more: the next who asks looks again. */
  forget(): void;
}

const patienceMs = 2_000;

/** Asks all hosts at once, so that one which swallows packets holds up no one. The first that accepts writes is used. */
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
    // A host that is silent does not say goodbye either.
    client.end().catch(() => undefined);
    setTimeout(() => client.connection.stream.destroy(), patienceMs).unref();
  }
}
