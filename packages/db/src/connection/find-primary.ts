import pg from 'pg';
import { shownHost } from './database-url.ts';
import { reasonOf } from './reason.ts';
import { assertWritable } from './writable.ts';

/** Knows which of several hosts takes writes. */
export interface Primary {
  find(): Promise<string>;
  /** The host that was found is of no use any more: the next who asks looks again. */
  forget(): void;
}

const patienceMs = 2_000;

/** Asks all hosts at once, so that one which swallows packets holds up nobody. The first that takes writes is kept. */
export function watchPrimary(urls: readonly string[]): Primary {
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
    throw new AggregateError(errors, `No host of the database takes writes (${reasons.join('; ')}).`);
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
