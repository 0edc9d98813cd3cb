/**
 * Linking wallets of every namespace over HTTP: links per second compared with bare `node:http` that returns the same JSON in the same run,
 * and the delay of the server's event loop meanwhile (p99, from its own metrics). Messages are requested and signed beforehand, so that
 * only verifying and storing proofs is measured.
 */
import { join } from 'node:path';
import { contextFor, createAdminKey, issueAeToken } from '@latchkey/core';
import { migrate } from '@latchkey/db';
import { withCluster } from '@latchkey/db/testing';
import { openPlatform } from '@latchkey/server/testing/gated-world';
import { startWalletNode } from '@latchkey/server/testing/wallet-node';
import { type TestWallet, testWallets } from '@latchkey/server/testing/wallets';
import { expectBaseline } from './baseline.ts';
import { type ServerProcess, startLatchkey, startProcess } from './server-process.ts';

const linksEach = 200;
const atOnce = 16;
const rounds = 3;
const aimMs = 50;
const baseUrl = 'http://localhost';
const connections = '/wallet-manager/wallet-connections';

interface Call {
  token: string;
  body: Record<string, unknown>;
}

async function main(databaseUrl: string): Promise<void> {
  await migrate(databaseUrl);
  const node = await startWalletNode();
  const environment = {
    DATABASE_URL: databaseUrl,
    LATCHKEY_BASE_URL: baseUrl,
    LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    LATCHKEY_CHAIN_URLS: [...node.chainUrls].map(([name, [url]]) => `${name}=${url}`).join(' '),
    LATCHKEY_USER_RATE: '1000000/1',
    LATCHKEY_SANDBOX: 'false',
  };
  const latchkey = await startLatchkey('server', environment);
  const { tokens, adminKey } = await makeCredentials(databaseUrl, environment);
  const example = await put(latchkey, { token: tokens[0] ?? '', body: { address: testWallets.evm(1).address } });
  const bareFile = join(import.meta.dirname, 'links/bare-server.ts');
  const bare = await startProcess([bareFile], { BENCH_ANSWER: JSON.stringify(example) }, '/ready');
  try {
    for (const [namespace, make] of Object.entries(testWallets)) {
      // What the first few load and compile is not part of the cost of every link.
      await load(latchkey, await prepare(latchkey, tokens.slice(0, 20), namespace, make));
      await measure({ latchkey, bare, adminKey, tokens }, namespace, make);
    }
  } finally {
    await latchkey.stop();
    await bare.stop();
    await node.stop();
  }
}

async function makeCredentials(databaseUrl: string, environment: Record<string, string>) {
  const { services, close } = await openPlatform(databaseUrl, environment);
  const operator = contextFor(services, { kind: 'admin', name: 'bench' });
  const { key: adminKey } = await createAdminKey(operator, 'bench');
  const tokens = await Promise.all(
    Array.from({ length: linksEach }, (_, n) =>
      issueAeToken(services, {
        userId: `DIS#USER#${n}`,
        platform: 'discord',
        scopes: ['$all'],
        credential: 'operator-token',
        ttlSeconds: 3600,
      }),
    ),
  );
  await close();
  return { tokens, adminKey };
}

async function put(server: ServerProcess, { token, body }: Call): Promise<{ message?: string; code?: string }> {
  const answer = await fetch(server.url + connections, {
    method: 'PUT',
    headers: { authorization: `AE ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { message?: string; code?: string };
}

/** Requests a message for each user and signs it. If a chain has only one account, all users link that one. */
async function prepare(
  server: ServerProcess,
  tokens: readonly string[],
  namespace: string,
  make: (n: number) => TestWallet,
): Promise<Call[]> {
  const isOne = ['flow', 'near', 'ton'].includes(namespace);
  const site = { host: new URL(baseUrl).host, nowSeconds: Math.floor(Date.now() / 1000) };
  const calls: Call[] = [];
  for (const [n, token] of tokens.entries()) {
    const wallet = make(isOne ? 1 : n + 1);
    const named = { address: wallet.address, ...(namespace === 'magic' && { walletType: 'magiclink' }) };
    const { message = '' } = await put(server, { token, body: named });
    calls.push({ token, body: { ...named, message, ...(await wallet.sign(message, site)) } });
  }
  return calls;
}

/** Sends all calls, a fixed number at a time. Returns how many seconds it took. */
async function load(server: ServerProcess, calls: readonly Call[], isOurs = true): Promise<number> {
  const left = calls.values();
  const started = performance.now();
  const work = async () => {
    for (const call of left) {
      const { code = '' } = await put(server, call);
      expectBaseline(isOurs || code !== '', 'The baseline answered without a code.');
      if (isOurs && !['CONNECTED', 'ALREADY_CONNECTED'].includes(code)) throw new Error(`A link came to ${code}.`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return (performance.now() - started) / 1000;
}

/** Returns the p99 event loop delay since the last reading. It is sampled every 10 ms, which are included. */
async function readDelayMs(server: ServerProcess, adminKey: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`, { headers: { 'x-api-key': adminKey } })).text();
  const [, seconds] = /^latchkey_nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(text) ?? [];
  return Number(seconds) * 1000;
}

async function readBareDelayMs(server: ServerProcess): Promise<number> {
  return Number(await (await fetch(`${server.url}/delay`)).text());
}

interface Bench {
  latchkey: ServerProcess;
  bare: ServerProcess;
  adminKey: string;
  tokens: readonly string[];
}

async function measure(bench: Bench, namespace: string, make: (n: number) => TestWallet): Promise<void> {
  const { latchkey, bare, adminKey, tokens } = bench;
  const measurements: Record<'ours' | 'theirs' | 'delayMs' | 'bareDelayMs' | 'cpuMs', number>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const calls = await prepare(latchkey, tokens, namespace, make);
    await readDelayMs(latchkey, adminKey);
    const cpuBefore = latchkey.cpuSeconds();
    const ours = calls.length / (await load(latchkey, calls));
    const cpuMs = ((latchkey.cpuSeconds() - cpuBefore) * 1000) / calls.length;
    const delayMs = await readDelayMs(latchkey, adminKey);
    await readBareDelayMs(bare);
    const theirs = calls.length / (await load(bare, calls, false));
    measurements.push({ ours, theirs, delayMs, bareDelayMs: await readBareDelayMs(bare), cpuMs });
  }
  const [ours, theirs] = [median(measurements.map((f) => f.ours)), median(measurements.map((f) => f.theirs))];
  const [delayMs, bareDelayMs] = [
    median(measurements.map((f) => f.delayMs)),
    median(measurements.map((f) => f.bareDelayMs)),
  ];
  console.log(
    `${namespace}: ${ours.toFixed(0)} links/s, bare node:http ${theirs.toFixed(0)} requests/s, ratio ${(ours / theirs).toFixed(2)}; ` +
      `server CPU ${median(measurements.map((f) => f.cpuMs)).toFixed(1)} ms each; ` +
      `event loop p99 ${delayMs.toFixed(1)} ms, bare node:http ${bareDelayMs.toFixed(1)} ms; within ${aimMs} ms: ${delayMs <= aimMs ? 'yes' : 'NO'}`,
  );
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

await withCluster((cluster) => main(cluster.url));
process.exit(0);
