/** An authenticated GET and a validated POST with 1,000 API keys, against bare `node:http` doing the same work in the same run. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contextFor, createDevelopmentApp } from '@latchkey/core';
import { migrate, startEmbeddedPostgres, tenantUrlOf } from '@latchkey/db';
import { compose, createLog, readConfig } from '@latchkey/server';
import pg from 'pg';
import { expectSameAnswers } from './baseline.ts';
import { differentCallers, type Load, printRatios, race } from './load.ts';
import { startLatchkey, startProcess } from './server-process.ts';

function loadOf(method: 'GET' | 'POST', apiKey: string): Load {
  if (method === 'GET') return { method, path: '/log/settings', headers: { 'x-api-key': apiKey } };
  const items = Array.from({ length: 20 }, (_, id) => ({ id, label: `item ${id}`, tags: ['a', 'b'] }));
  return {
    method,
    path: '/states',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', items }),
  };
}

const folder = await mkdtemp(join(tmpdir(), 'latchkey-bench-'));
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), log: () => undefined });
const environment = { DATABASE_URL: postgres.url, LATCHKEY_DATA_DIR: folder };
await migrate(postgres.url);
const log = createLog({ logLevel: 'error', debugSettings: '' });
const composition = await compose({
  config: readConfig(environment),
  log,
  databaseUrl: postgres.url,
  tenantDatabaseUrl: tenantUrlOf(postgres.url),
  baseUrl: 'http://localhost',
  smtpUrl: 'smtp://127.0.0.1:1',
  serverType: 'Operator',
});
const operator = contextFor(composition.services, { kind: 'admin', name: 'bench' });
const apiKeys: string[] = [];
while (apiKeys.length < differentCallers) {
  const app = { userId: `bench ${apiKeys.length}`, name: 'bench', scopes: ['log-settings', 'state:create'] };
  const { apiKey } = await createDevelopmentApp(operator, app);
  if (apiKey !== undefined) apiKeys.push(apiKey);
}
await composition.close();
// The plan's limits are still counted, but never reached.
const client = new pg.Client(postgres.url);
await client.connect();
await client.query(
  `update plans set rate_limits = '[{"key": "second", "points": 1000000, "duration": 1, "label": "", "scopes": "$all"}]'`,
);
await client.end();

const latchkey = await startLatchkey('server', environment);
const bare = await startProcess([join(import.meta.dirname, 'http/bare-server.ts')], environment, '/ready');
try {
  for (const method of ['GET', 'POST'] as const) {
    const [first = '', ...others] = apiKeys;
    const loads = [loadOf(method, first), ...others.map((key) => loadOf(method, key))] as const;
    const contenders = [latchkey, bare].map((server) => ({ server, loads }));
    await expectSameAnswers(contenders);
    const [ours, theirs] = await race(contenders);
    if (ours === undefined || theirs === undefined) throw new Error('Both must have figures.');
    printRatios(method === 'GET' ? 'authenticated GET' : 'validated POST', ours, 'bare node:http', theirs);
  }
} finally {
  await latchkey.stop();
  await bare.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit(0);
