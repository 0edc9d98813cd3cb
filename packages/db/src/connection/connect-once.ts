import type pg from 'pg';
import { newClient } from './clients.ts';
import { hostsIn, shownHost } from './database-url.ts';
import { reasonOf } from './reason.ts';

const connectPatienceMs = 10_000;

/** Opens a connection for a short task; `variable` is the setting the operator must correct when it fails. */
export async function connectOnce(url: string, variable: string): Promise<pg.Client> {
  const client = newClient(url, {
    application_name: 'latchkey-migrate',
    connectionTimeoutMillis: connectPatienceMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    // Only what identifies the database: the rest of a URL can be a password.
    const where = `${client.database} at ${hostsIn(url).map(shownHost).join(', ')}`;
    const reasons = error instanceof AggregateError ? error.errors : [error];
    throw new Error(
      `The database ${where} cannot be used (${reasons.map(reasonOf).join(', ')}). Start it, or correct ${variable}.`,
      { cause: error },
    );
  }
}

/**
 * Opens a session connection without time limits unless they are set. Refuses a pooler that would give each transaction
 * another connection.
 */
export async function connectDirectly(url: string, variable: string): Promise<pg.Client> {
  const client = await connectOnce(url, variable);
  try {
    if (await isSharedByOthers(client, () => connectOnce(url, variable))) throw new Error(adviseDirect(variable));
    await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0');
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}

function adviseDirect(variable: string): string {
  const advice =
    variable === 'DATABASE_URL'
      ? 'Set LATCHKEY_DIRECT_DATABASE_URL to the URL of PostgreSQL itself.'
      : `Set ${variable} to the address of PostgreSQL itself.`;
  return `${variable} connects through a pooler in transaction mode, such as PgBouncer. Migrations, locks and LISTEN need a direct connection. ${advice}`;
}

const looks = 8;

/**
 * Whether a pooler spreads the statements of one client over several server connections, so that settings, locks and
 * LISTEN do not persist. True only if that was observed: two open connections never have the same server process, and
 * one connection never changes its own.
 */
async function isSharedByOthers(client: pg.Client, openSecond: () => Promise<pg.Client>): Promise<boolean> {
  const first = await serverProcess(client);
  // PostgreSQL reports the server process when a connection opens. A pooler has none then, and reports something else.
  if (first === Reflect.get(client, 'processID')) return false;
  for (let look = 0; look < looks; look += 1) if ((await serverProcess(client)) !== first) return true;
  const second = await openSecond();
  try {
    await second.query('begin');
    return (await serverProcess(second)) === first || (await serverProcess(client)) !== first;
  } finally {
    await second.end();
  }
}

async function serverProcess(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}
