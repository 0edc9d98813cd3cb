/**
 * The third baseline of the OAuth2 benchmark: Ory Hydra on the same PostgreSQL, in a separate database. Tokens are opaque, like ours, and
 * nothing is logged. Its introspection needs no credential.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import pg from 'pg';
import { freePort, type ServerProcess, watchProcess } from '../server-process.ts';

export interface Hydra extends ServerProcess {
  adminUrl: string;
  client: { id: string; secret: string };
}

/** Starts the program, and registers a client that may request its own tokens. */
export async function startHydra(program: string, adminDatabaseUrl: string, scope: string): Promise<Hydra> {
  const client = new pg.Client(adminDatabaseUrl);
  await client.connect();
  await client.query('create database hydra');
  await client.end();
  const [publicPort, adminPort] = [await freePort(), await freePort()];
  const environment = {
    PATH: process.env.PATH ?? '',
    DSN: hydraDsn(adminDatabaseUrl),
    SECRETS_SYSTEM: 'only-for-this-benchmark-0123456789',
    URLS_SELF_ISSUER: `http://127.0.0.1:${publicPort}`,
    SERVE_PUBLIC_PORT: String(publicPort),
    SERVE_ADMIN_PORT: String(adminPort),
    LOG_LEVEL: 'panic',
    SERVE_PUBLIC_REQUEST_LOG_DISABLE_FOR_HEALTH: 'true',
    SQA_OPT_OUT: 'true',
  };
  const migrated = spawnSync(program, ['migrate', 'sql', 'up', '-e', '--yes'], { env: environment, stdio: 'ignore' });
  if (migrated.status !== 0) throw new Error('Hydra could not migrate its database.');
  const child: ChildProcess = spawn(program, ['serve', 'all', '--dev'], { env: environment, stdio: 'ignore' });
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  const server = await watchProcess(child, `http://127.0.0.1:${publicPort}`, `${adminUrl}/health/ready`);
  const answer = await fetch(`${adminUrl}/admin/clients`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_types: ['client_credentials'], scope, client_name: 'bench' }),
  });
  if (!answer.ok) throw new Error(`Hydra did not register the client: ${await answer.text()}`);
  const made = (await answer.json()) as { client_id: string; client_secret: string };
  return { ...server, adminUrl, client: { id: made.client_id, secret: made.client_secret } };
}

/** Returns the database URL in the form that Hydra's driver reads, also over a Unix socket. */
function hydraDsn(adminDatabaseUrl: string): string {
  const { user, host, port } = new pg.Client(adminDatabaseUrl);
  return `postgres://${user}@/hydra?host=${encodeURIComponent(host)}&port=${port}&sslmode=disable&max_conns=20`;
}
