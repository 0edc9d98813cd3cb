/**
 * POST /access-control/check-roles at a steady rate, with results in the server's cache, compared with bare `node:http` that returns the
 * same JSON in the same run. Requests are sent on schedule, and latency counts from when each was due.
 */
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { startFaultProxy } from '@latchkey/chains/testing';
import { contextFor, createDevelopmentApp } from '@latchkey/core';
import { migrate } from '@latchkey/db';
import { withCluster } from '@latchkey/db/testing';
import { startSampleWorld } from '@latchkey/emulators/sample-world';
import { openPlatform } from '@latchkey/server/testing/gated-world';
import { sampleRules } from '@latchkey/server/testing/sample-rules';
import pg from 'pg';
import { expectSameAnswers } from './baseline.ts';
import { loadOpenly } from './open-loop.ts';
import { type ServerProcess, startLatchkey, startProcess } from './server-process.ts';

const perSecond = 200;
const seconds = 10;
const warmUpSeconds = 4;
const rounds = 3;
const answerTtlSeconds = 15;
const aimMs = 6;

async function main(databaseUrl: string): Promise<void> {
  await migrate(databaseUrl);
  const world = await startSampleWorld();
  const { chain, members } = world;
  const node = await startFaultProxy(chain.url);
  const environment = {
    DATABASE_URL: databaseUrl,
    LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    LATCHKEY_EVM_RPC_URLS: `${chain.chainId}=${node.url}`,
    LATCHKEY_SANDBOX: 'false',
  };
  const headers = { 'x-api-key': await makeKey(databaseUrl, environment) };
  const rules = sampleRules(world);
  const call = (turn: number) => ({
    method: 'POST',
    path: '/access-control/check-roles',
    headers,
    json: { account: members[turn % members.length]?.address, rules },
  });
  const latchkey = await startLatchkey('server', environment);
  const example = await fetch(latchkey.url + call(0).path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(call(0).json),
  });
  const bareFile = join(import.meta.dirname, 'checks/bare-server.ts');
  const bare = await startProcess([bareFile], { BENCH_ANSWER: await example.text() }, '/ready');

  const { path, json } = call(0);
  const request = {
    method: 'POST',
    path,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(json),
  } as const;
  await expectSameAnswers([latchkey, bare].map((server) => ({ server, loads: [request] as const })));

  const [ours, theirs]: [number[], number[]] = [[], []];
  const spent = { calls: 0, ourCpuSeconds: 0, theirCpuSeconds: 0 };
  for (const { url } of [latchkey, bare]) await loadOpenly(url, { perSecond, seconds: warmUpSeconds, call });
  for (let round = 0; round < rounds; round += 1) {
    // Lets all cached results expire and be read again, so that none expires during the measurement.
    await rest(1000 * answerTtlSeconds);
    await loadOpenly(latchkey.url, { perSecond, seconds: 1, call });
    const callsBefore = node.requests.length;
    spent.ourCpuSeconds += await cpuOf(latchkey, async () => {
      ours.push(...(await loadOpenly(latchkey.url, { perSecond, seconds, call })));
    });
    spent.calls += node.requests.length - callsBefore;
    spent.theirCpuSeconds += await cpuOf(bare, async () => {
      theirs.push(...(await loadOpenly(bare.url, { perSecond, seconds, call })));
    });
  }
  report(ours, theirs, { accounts: members.length, rules: rules.length, ...spent });
  await latchkey.stop();
  await bare.stop();
  await node.stop();
  await world.stop();
}

/** Returns the CPU time of a server under load, without what it does on its own while the other one is loaded. */
async function cpuOf(server: ServerProcess, load: () => Promise<void>): Promise<number> {
  const before = server.cpuSeconds();
  await load();
  return server.cpuSeconds() - before;
}

/** Creates the key of an application, on a plan whose limits are counted but never reached. */
async function makeKey(databaseUrl: string, environment: Record<string, string>): Promise<string> {
  const { services, close } = await openPlatform(databaseUrl, environment);
  const operator = contextFor(services, { kind: 'admin', name: 'bench' });
  const app = { userId: 'bench', name: 'bench', scopes: ['token-gating'] };
  const { apiKey = '' } = await createDevelopmentApp(operator, app);
  await close();
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(
    `update plans set rate_limits = '[{"key": "second", "points": 1000000, "duration": 1, "label": "", "scopes": "$all"}]'`,
  );
  await client.end();
  return apiKey;
}

interface Spent {
  accounts: number;
  rules: number;
  calls: number;
  ourCpuSeconds: number;
  theirCpuSeconds: number;
}

function report(ours: number[], theirs: number[], what: Spent): void {
  console.log(
    `check-roles, ${what.rules} rules and ${what.accounts} accounts, ${perSecond} requests/s for ${rounds} times ${seconds} s; ` +
      `${what.calls} calls to the chain meanwhile`,
  );
  for (const share of [0.5, 0.95, 0.99]) {
    const [value, base] = [percentile(ours, share), percentile(theirs, share)];
    console.log(
      `p${share * 100}: ${value.toFixed(2)} ms, bare node:http ${base.toFixed(2)} ms, ratio ${(value / base).toFixed(2)}`,
    );
  }
  const [cpu, baseCpu] = [(what.ourCpuSeconds * 1e6) / ours.length, (what.theirCpuSeconds * 1e6) / theirs.length];
  console.log(
    `server CPU for each: ${cpu.toFixed(0)} µs, bare node:http ${baseCpu.toFixed(0)} µs, ratio ${(cpu / baseCpu).toFixed(2)}`,
  );
  console.log(`p95 within ${aimMs} ms: ${percentile(ours, 0.95) <= aimMs ? 'yes' : 'NO'}`);
}

function percentile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? Number.NaN;
}

await withCluster((cluster) => main(cluster.url));
