/** An authenticated GET and a validated POST, against bare `node:http` doing the same work in the same run. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// @ts-expect-error The load generator ships no types; what is used of it is typed below.
import untypedAutocannon from 'autocannon';
import pg from 'pg';
import { contextFor, createDevelopmentApp } from '../packages/core/src/index.ts';
import { migrate, startEmbeddedPostgres } from '../packages/db/src/index.ts';
import { compose } from '../packages/server/src/compose/index.ts';
import { readConfig } from '../packages/server/src/config.ts';
import { createLog } from '../packages/server/src/log.ts';
import { type ServerProcess, startLatchkey, startProcess } from './server-process.ts';

interface LoadResult {
  duration: number;
  errors: number;
  non2xx: number;
  requests: { total: number };
  latency: { p99: number };
}
const autocannon: (options: object) => Promise<LoadResult> = untypedAutocannon;

const rounds = 5;
const seconds = 3;
const connections = 16;

interface Figures {
  perSecond: number;
  cpuMicroseconds: number;
  p99: number;
}

async function load(server: ServerProcess, apiKey: string, method: 'GET' | 'POST'): Promise<Figures> {
  const cpuBefore = server.cpuSeconds();
  const body = JSON.stringify({
    name: 'bench',
    items: Array.from({ length: 20 }, (_, id) => ({ id, label: `item ${id}`, tags: ['a', 'b'] })),
  });
  const result = await autocannon({
    url: server.url + (method === 'GET' ? '/log/settings' : '/states'),
    method,
    connections,
    duration: seconds,
    headers: { 'x-api-key': apiKey, ...(method === 'POST' && { 'content-type': 'application/json' }) },
    ...(method === 'POST' && { body }),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refusals and ${result.errors} errors: the figures would be worthless.`);
  return {
    perSecond: result.requests.total / result.duration,
    cpuMicroseconds: ((server.cpuSeconds() - cpuBefore) * 1e6) / result.requests.total,
    p99: result.latency.p99,
  };
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
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
  baseUrl: 'http://localhost',
  smtpUrl: 'smtp://127.0.0.1:1',
  serverType: 'Operator',
});
const operator = contextFor(composition.platform, { kind: 'admin', name: 'bench' });
const { apiKey = '' } = await createDevelopmentApp(operator, {
  userId: 'bench',
  name: 'bench',
  scopes: ['log-settings', 'state:create'],
});
await composition.close();
// The plan's limits are still counted, they are only out of reach.
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
    const ours: Figures[] = [];
    const theirs: Figures[] = [];
    await load(latchkey, apiKey, method);
    await load(bare, apiKey, method);
    for (let round = 0; round < rounds; round++) {
      ours.push(await load(latchkey, apiKey, method));
      theirs.push(await load(bare, apiKey, method));
    }
    const name = method === 'GET' ? 'authenticated GET' : 'validated POST';
    const rate = [median(ours.map((f) => f.perSecond)), median(theirs.map((f) => f.perSecond))] as const;
    const cpu = [median(ours.map((f) => f.cpuMicroseconds)), median(theirs.map((f) => f.cpuMicroseconds))] as const;
    const p99 = [median(ours.map((f) => f.p99)), median(theirs.map((f) => f.p99))] as const;
    console.log(
      `${name}: ${rate[0].toFixed(0)} requests/s, bare node:http ${rate[1].toFixed(0)} requests/s, ratio ${(rate[0] / rate[1]).toFixed(2)}`,
    );
    console.log(
      `${name}, server CPU: ${cpu[0].toFixed(0)} µs, bare node:http ${cpu[1].toFixed(0)} µs, ratio ${(cpu[1] / cpu[0]).toFixed(2)}`,
    );
    console.log(`${name}, p99: ${p99[0]} ms, bare node:http ${p99[1]} ms`);
  }
} finally {
  await latchkey.stop();
  await bare.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit(0);
