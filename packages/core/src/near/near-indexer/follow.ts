import { fencedBy, type Leases, openLeases, type Tx } from '@latchkey/db';
import { addMs } from '@latchkey/kernel';
import { type RawBuilder, sql } from 'kysely';
import type { NearBlockSeen, NearBlocks, NearTransactionOutcome } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import { repeat } from '../../shared/repeat.ts';
import {
  insertCursor,
  markReached,
  moveCursor,
  type NearCursor,
  selectCursor,
  selectPendingReceipts,
  updateOutcome,
} from './queries.ts';
import { addBlock, addOutcome, type IndexRows, noRows, placeOf, type SubjectRow } from './rows.ts';

// NEAR produces a block about every second.
const pauseMs = 1_000;
const longestPauseMs = 30_000;

/** Indexes a network until stopped. Any number of processes may run this; one of them does the work. */
export function followNear(
  ctx: IndexContext & Pick<Context, 'random'>,
  network: NearBlocks,
  leases: Leases = openLeases(ctx.db, { log: ctx.log.for('leases') }),
): { stop(): Promise<void> } {
  const ended = new AbortController();
  const { signal } = ended;
  const name = `near-index/${network.network}`;
  const trying = { topic: 'near', failure: 'Indexing NEAR failed; retrying.', pauseMs, longestPauseMs };
  const running = repeat(ctx, signal, trying, async () => {
    const lease = await leases.take(name);
    return lease ? indexStep({ ...ctx, db: fencedBy(ctx.db, lease) }, network, signal) : 'at-end';
  });
  return {
    stop: async () => {
      ended.abort();
      await running;
      await leases.release(name);
    },
  };
}

export type IndexContext = Pick<Context, 'clock' | 'db' | 'log'>;
type StepResult = 'moved' | 'at-end';

const blocksAtOnce = 32;
const callsAtOnce = 16;
const unsettledAtOnce = 200;
const firstCheckMs = 1_000;
/** After this many checks, some twenty minutes, a transaction that the network no longer returns is given up. */
const maxChecks = 12;

/**
 * Indexes the next blocks of a network, in one transaction with the cursor: a block is either completely in the index
 * and behind the cursor, or neither. Throws if the network is unavailable or its blocks are not a chain.
 */
export async function indexStep(ctx: IndexContext, network: NearBlocks, signal: AbortSignal): Promise<StepResult> {
  await settle(ctx, network, signal);
  const cursor = (await selectCursor(ctx.db.system, network.network)) ?? (await begin(ctx, network, signal));
  const newest = await network.newest(signal);
  const blocks = await nextBlocks(network, cursor, newest, signal);
  const last = blocks.at(-1);
  if (last === undefined) {
    await markReached(ctx.db.system, network.network, ctx.clock());
    return 'at-end';
  }
  const outcomes = await outcomesOf(network, blocks, signal);
  const rows = noRows();
  for (const block of blocks) addBlock(rows, block, outcomes);
  const check = addMs(ctx.clock(), firstCheckMs);
  await ctx.db.transaction('system', async (tx) => {
    if (!(await moveCursor(tx, network.network, cursor, { height: last.height, hash: last.hash }))) return;
    await storeRows(tx, rows, check);
    if (last.height >= newest) await markReached(tx, network.network, ctx.clock());
  });
  return 'moved';
}

/** Starts at the newest block, or at the first one from the height that the operator set. */
async function begin(ctx: IndexContext, network: NearBlocks, signal: AbortSignal): Promise<NearCursor> {
  const newest = await network.newest(signal);
  let block: NearBlockSeen | undefined;
  for (let height = network.startsAfter ?? newest; block === undefined && height <= newest; height++)
    block = await network.block(height, signal);
  if (block === undefined)
    throw new Error(`The NEAR network ${network.network} has no block to start from; its newest one is ${newest}.`);
  await insertCursor(ctx.db.system, network.network, block);
  return { height: block.height, hash: block.hash };
}

/**
 * Returns the blocks after the cursor, each the child of the previous one. A height without a block is normal, but a
 * node that lacks a block responds the same way; the hash of the parent tells the two apart, and a missing block is
 * requested by its hash.
 */
async function nextBlocks(
  network: NearBlocks,
  cursor: NearCursor,
  newest: number,
  signal: AbortSignal,
): Promise<NearBlockSeen[]> {
  const heights = Array.from(
    { length: Math.min(blocksAtOnce, newest - cursor.height) },
    (_, n) => cursor.height + n + 1,
  );
  const found = await inParallel(heights, callsAtOnce, (height) => network.block(height, signal));
  const joined: NearBlockSeen[] = [];
  let previous: string = cursor.hash;
  for (const block of found) {
    if (block === undefined) continue;
    joined.push(...(await ancestorsSince(network, block, previous, cursor.height, signal)), block);
    previous = block.hash;
  }
  return joined;
}

/** Returns the blocks between an indexed one and `block`, oldest first. */
async function ancestorsSince(
  network: NearBlocks,
  block: NearBlockSeen,
  passed: string,
  passedHeight: number,
  signal: AbortSignal,
): Promise<NearBlockSeen[]> {
  const between: NearBlockSeen[] = [];
  for (let wanted = block.previousHash; wanted !== passed; ) {
    const parent = await network.block(wanted, signal);
    if (parent === undefined || parent.height <= passedHeight)
      throw new Error(
        `Block ${block.height} of the NEAR network ${network.network} does not follow the last block that was read.`,
      );
    between.unshift(parent);
    wanted = parent.previousHash;
  }
  return between;
}

async function outcomesOf(
  network: NearBlocks,
  blocks: readonly NearBlockSeen[],
  signal: AbortSignal,
): Promise<Map<string, NearTransactionOutcome | undefined>> {
  const transactions = blocks.flatMap(({ chunks }) => chunks.flatMap((chunk) => chunk.transactions));
  const outcomes = await inParallel(transactions, callsAtOnce, ({ hash, signer }) =>
    network.outcome(hash, signer, signal),
  );
  return new Map(transactions.map(({ hash }, index) => [hash, outcomes[index]]));
}

/** Checks again transactions with pending receipts. */
async function settle(ctx: IndexContext, network: NearBlocks, signal: AbortSignal): Promise<void> {
  const now = ctx.clock();
  const unsettled = await selectPendingReceipts(ctx.db.system, now, unsettledAtOnce);
  if (unsettled.length === 0) return;
  const outcomes = await inParallel(unsettled, callsAtOnce, ({ hash, signer }) =>
    network.outcome(hash, signer, signal),
  );
  await ctx.db.transaction('system', async (tx) => {
    const rows = noRows();
    for (const [index, { hash, height, looks }] of unsettled.entries()) {
      const outcome = outcomes[index];
      const isOver = outcome?.isFinal || looks + 1 >= maxChecks;
      const nextCheck = addMs(now, firstCheckMs * 2 ** (looks + 1));
      if (outcome !== undefined) addOutcome(rows, hash, outcome, placeOf(height));
      await updateOutcome(tx, hash, outcome, isOver ? null : nextCheck);
    }
    await storeRows(tx, rows, now);
  });
}

type Row = Readonly<Record<string, unknown>>;

/** Passes rows to the database as one array per column, which costs far less than a parameter per value. */
function asTable(rows: readonly Row[], columns: Readonly<Record<string, string>>): RawBuilder<unknown> {
  const arrays = Object.entries(columns).map(
    ([name, type]) => sql`${rows.map((row) => row[name])}::${sql.raw(type)}[]`,
  );
  return sql`unnest(${sql.join(arrays)}) as r (${sql.raw(Object.keys(columns).join(', '))})`;
}

const placed = {
  height: 'bigint',
  block_hash: 'text',
  block_time: 'numeric',
  chunk_hash: 'text',
  index_in_chunk: 'int',
};
const transactionColumns = {
  hash: 'text',
  ...placed,
  signer: 'text',
  signer_key: 'text',
  receiver: 'text',
  nonce: 'numeric',
  signature: 'text',
  status: 'text',
  receipt_id: 'text',
  gas_burnt: 'numeric',
  tokens_burnt: 'numeric',
  is_settled: 'boolean',
};
const receiptColumns = { id: 'text', kind: 'text', ...placed, predecessor: 'text', receiver: 'text' };
const callColumns = {
  receipt_id: 'text',
  action_index: 'int',
  place: 'bigint',
  block_time: 'numeric',
  caller: 'text',
  contract: 'text',
  method: 'text',
  args: 'text',
};
const subjectColumns = {
  contract: 'text',
  subject: 'text',
  place: 'bigint',
  receipt_id: 'text',
  action_index: 'int',
};

/** Stores blocks and outcomes. Existing rows stay unchanged, so blocks can be read twice. */
async function storeRows(tx: Tx, rows: IndexRows, check: Date): Promise<void> {
  const { transactions, receipts, origins, calls, callTokens, callAccounts, accounts, tokenAccounts, mints } = rows;
  if (transactions.length > 0) {
    await sql`
      insert into near_seen_transactions (hash, height, block_hash, block_time, chunk_hash, index_in_chunk, signer,
        signer_key, receiver, nonce, signature, status, receipt_id, gas_burnt, tokens_burnt, check_at)
      select hash, height, block_hash, block_time, chunk_hash, index_in_chunk, signer, signer_key, receiver, nonce,
        signature, status, receipt_id, gas_burnt, tokens_burnt, case when is_settled then null else ${check}::timestamptz end
      from ${asTable(transactions.map(plain), transactionColumns)}
      on conflict do nothing`.execute(tx);
  }
  if (receipts.length > 0) {
    await sql`
      insert into near_seen_receipts (${sql.raw(Object.keys(receiptColumns).join(', '))})
      select * from ${asTable(receipts.map(plain), receiptColumns)} on conflict do nothing`.execute(tx);
  }
  if (origins.length > 0) {
    await sql`
      insert into near_receipt_origins (receipt_id, transaction_hash)
      select * from ${asTable(origins, { receipt_id: 'text', transaction_hash: 'text' })} on conflict do nothing`.execute(
      tx,
    );
  }
  if (calls.length > 0) {
    await sql`
      insert into near_function_calls (${sql.raw(Object.keys(callColumns).join(', '))}, is_direct)
      select r.*, exists (select from near_seen_transactions t where t.receipt_id = r.receipt_id)
      from ${asTable(calls.map(plain), callColumns)} on conflict do nothing`.execute(tx);
  }
  await storeSubjects(tx, 'near_call_tokens', 'token_id', callTokens);
  await storeSubjects(tx, 'near_call_accounts', 'account', callAccounts);
  await storeAccounts(tx, [...accounts]);
  await storeTokenAccounts(tx, tokenAccounts);
  await storeMints(tx, mints);
}

async function storeSubjects(tx: Tx, table: string, column: string, rows: readonly SubjectRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into ${sql.table(table)} (contract, ${sql.ref(column)}, place, receipt_id, action_index)
    select * from ${asTable(rows.map(plain), subjectColumns)} on conflict do nothing`.execute(tx);
}

async function storeAccounts(tx: Tx, names: readonly string[]): Promise<void> {
  // Refunds and similar receipts come from an account that does not exist.
  const accounts = names.filter((name) => name !== 'system').map((account) => ({ account, parent: parentOf(account) }));
  if (accounts.length === 0) return;
  await sql`
    insert into near_seen_accounts (account, parent)
    select * from ${asTable(accounts, { account: 'text', parent: 'text' })} on conflict do nothing`.execute(tx);
}

function parentOf(account: string): string | null {
  const dot = account.indexOf('.');
  return dot === -1 ? null : account.slice(dot + 1);
}

async function storeTokenAccounts(tx: Tx, rows: IndexRows['tokenAccounts']): Promise<void> {
  if (rows.length === 0) return;
  const table = asTable(rows, { account: 'text', kind: 'text', contract: 'text' });
  await sql`
    insert into near_token_accounts (account, kind, contract) select * from ${table} on conflict do nothing`.execute(
    tx,
  );
  await sql`
    insert into near_token_contracts (contract, kind)
    select distinct contract, kind from ${table} on conflict do nothing`.execute(tx);
}

async function storeMints(tx: Tx, rows: IndexRows['mints']): Promise<void> {
  if (rows.length === 0) return;
  const columns = { contract: 'text', token_id: 'text', receipt_id: 'text', transaction_hash: 'text' };
  await sql`
    insert into near_token_mints (contract, token_id, receipt_id, transaction_hash)
    select * from ${asTable(rows, columns)} on conflict do nothing`.execute(tx);
}

/** The compiler does not accept an interface as a record, though it is one. */
function plain<R extends object>(row: R): Row {
  return row as unknown as Row;
}
