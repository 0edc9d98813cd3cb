/**
 * Indexing a NEAR network: 100,000 transactions of a node with NEAR's JSON-RPC, read over HTTP into PostgreSQL by a process that is killed
 * and restarted five times; compared with a bare COPY of the same rows into tables of the same shape. Then each of the nine queries,
 * repeatedly.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNearBlocks } from '@latchkey/chains';
import { indexStep } from '@latchkey/core';
import { nearReads } from '@latchkey/core/testing/insides';
import { migrate, openDatabase } from '@latchkey/db';
import { withCluster } from '@latchkey/db/testing';
import { startNearChain } from '@latchkey/emulators/near-chain';
import pg from 'pg';
import { expectBaseline } from './baseline.ts';

const transactions = Number(process.env.NEAR_TRANSACTIONS ?? 100_000);
const perBlock = 200;
const kills = 5;
const queriesEach = 200;
const aimMs = 50;
const tables = [
  'near_seen_transactions',
  'near_seen_receipts',
  'near_receipt_origins',
  'near_function_calls',
  'near_call_tokens',
  'near_call_accounts',
  'near_seen_accounts',
  'near_token_accounts',
  'near_token_contracts',
];
const quiet = { debug() {}, info() {}, warn() {}, error() {}, for: () => quiet };
const clock = () => new Date();

async function index(databaseUrl: string, url: string, startsAfter: number): Promise<void> {
  const db = openDatabase({ url: databaseUrl, log: quiet, maxConnections: 4 });
  const network = createNearBlocks({ fetch, network: 'bench', urls: [url], timeoutMs: 30_000, startsAfter });
  const { signal } = new AbortController();
  while ((await indexStep({ clock, db, log: quiet }, network, signal)) === 'moved');
  await db.close();
}

async function main(databaseUrl: string, adminUrl: string): Promise<void> {
  await migrate(databaseUrl);
  const chain = await startNearChain({ seed: 'bench' });
  const from = chain.final.height;
  const { transactions: made } = chain.produce(transactions, { perBlock, people: 500 });
  chain.makeBlocks(6);
  // Only a superuser may copy to and from files of the server.
  const admin = new URL(adminUrl);
  admin.pathname = new URL(databaseUrl).pathname;
  const client = new pg.Client({ connectionString: admin.href });
  // On failure, the cluster is stopped before the connection is closed.
  client.on('error', () => undefined);
  await client.connect();
  const count = async (table: string) => Number((await client.query(`select count(*) as n from ${table}`)).rows[0].n);

  const startedAt = performance.now();
  for (let run = 0; ; run++) {
    const child = fork(import.meta.filename, [databaseUrl, chain.url, String(from)]);
    const ended = once(child, 'exit');
    if (run < kills) {
      const goal = ((run + 1) * made) / (kills + 1);
      while ((await count('near_seen_transactions')) < goal && child.exitCode === null)
        await new Promise((resolve) => setTimeout(resolve, 100));
      child.kill('SIGKILL');
    }
    const [code] = await ended;
    if (code === 0) break;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const counts = new Map<string, number>();
  for (const table of tables) counts.set(table, await count(table));
  const rows = [...counts.values()].reduce((sum, n) => sum + n, 0);
  const seen = counts.get('near_seen_transactions') ?? 0;
  const blocks = await chainTransactions(chain.url, from, chain.final.height);
  console.log(
    `  ${made} transactions made; the blocks hold ${blocks}, the index ${seen}: ${seen === blocks ? 'no gap, no duplicate' : 'WRONG'}`,
  );
  console.log(
    `  indexed over HTTP with ${kills} kills: ${rows} rows in ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} rows/s, ${Math.round(seen / seconds)} transactions/s`,
  );
  const copied = await copyAll(client);
  console.log(
    `  bare COPY of the same rows: ${Math.round(rows / copied)} rows/s; ratio ${(copied / seconds).toFixed(3)}`,
  );
  await measureQueries(databaseUrl, client);
  await client.end();
  await chain.stop();
}

/** Counts in the blocks themselves what has to be indexed. */
async function chainTransactions(url: string, after: number, to: number): Promise<number> {
  const network = createNearBlocks({ fetch, network: 'bench', urls: [url], timeoutMs: 30_000 });
  const { signal } = new AbortController();
  let found = 0;
  for (let height = after + 1; height <= to; height++) {
    const block = await network.block(height, signal);
    for (const chunk of block?.chunks ?? []) found += chunk.transactions.length;
  }
  return found;
}

async function copyAll(client: pg.Client): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'near-copy-'));
  // The database server may run as another user.
  chmodSync(folder, 0o777);
  for (const table of tables) {
    await client.query(`copy ${table} to '${folder}/${table}'`);
    await client.query(`create table copy_of_${table} (like ${table} including all)`);
  }
  const startedAt = performance.now();
  for (const table of tables) await client.query(`copy copy_of_${table} from '${folder}/${table}'`);
  const seconds = (performance.now() - startedAt) / 1000;
  rmSync(folder, { recursive: true });
  for (const table of tables) {
    const count = async (name: string) => (await client.query(`select count(*) as n from ${name}`)).rows[0].n;
    expectBaseline((await count(`copy_of_${table}`)) === (await count(table)), `COPY left rows of ${table} out.`);
  }
  return seconds;
}

async function measureQueries(databaseUrl: string, client: pg.Client): Promise<void> {
  await client.query('analyze');
  const some = async (query: string) => (await client.query(`${query} limit 50`)).rows;
  const transactions = await some('select hash from near_seen_transactions order by md5(hash)');
  const receipts = await some('select id from near_seen_receipts order by md5(id)');
  const calls = await some('select contract, caller from near_function_calls order by md5(receipt_id)');
  const tokens = await some('select contract, token_id from near_call_tokens order by md5(receipt_id)');
  const accounts = await some('select contract, account from near_call_accounts order by md5(receipt_id)');
  const db = openDatabase({ url: databaseUrl, log: quiet, maxConnections: 4 });
  const ctx = { db, settings: { nearIndex: 'localnet' } };
  const at = <Row>(list: Row[], n: number): Row => list[n % list.length] as Row;
  const deep = (n: number) => ({ limit: 100, offset: (n * 97) % 5000 });
  const queries: Record<string, (n: number) => Promise<unknown>> = {
    receipt: (n) => nearReads.getReceipt(ctx, { receiptId: at(receipts, n).id }),
    transaction: (n) => nearReads.getTransaction(ctx, { txHash: at(transactions, n).hash }),
    transactions: (n) => nearReads.getTransactions(ctx, { contract: at(calls, n).contract, ...deep(n) }),
    'transactions of a caller': (n) => nearReads.getTransactions(ctx, { caller: at(calls, n).caller, limit: 100 }),
    'child accounts': (n) =>
      nearReads.getChildAccounts(ctx, { parentAccount: 'bench.near', limit: 100, offset: n % 300 }),
    'ft contracts': (n) => nearReads.findLikelyTokens(ctx, { accountId: at(accounts, n).account }),
    'nft contracts': (n) => nearReads.findLikelyNfts(ctx, { accountId: at(accounts, n).account }),
    'function calls': (n) => nearReads.getFunctionCalls(ctx, { contract: at(calls, n).contract, ...deep(n) }),
    'history of a token': (n) =>
      nearReads.getTransactionHistoryForToken(ctx, {
        contract: at(tokens, n).contract,
        tokenId: at(tokens, n).token_id,
      }),
    'history of an account': (n) =>
      nearReads.getTransactionHistoryForAccount(ctx, {
        contract: at(accounts, n).contract,
        account: at(accounts, n).account,
      }),
  };
  for (const [name, ask] of Object.entries(queries)) {
    const times: number[] = [];
    for (let n = 0; n < queriesEach; n++) {
      const startedAt = performance.now();
      await ask(n);
      times.push(performance.now() - startedAt);
    }
    times.sort((a, b) => a - b);
    const p95 = times[Math.floor(times.length * 0.95)] ?? 0;
    console.log(
      `  ${name.padEnd(26)} p50 ${(times[times.length >> 1] ?? 0).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms (aim ${aimMs})`,
    );
  }
  await db.close();
}

const [databaseUrl, url, startsAfter] = process.argv.slice(2);
if (databaseUrl !== undefined && url !== undefined) await index(databaseUrl, url, Number(startsAfter));
else await withCluster((cluster) => main(cluster.url, cluster.adminUrl));
