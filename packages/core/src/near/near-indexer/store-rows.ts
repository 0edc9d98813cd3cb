import type { Tx } from '@latchkey/db';
import { type RawBuilder, sql } from 'kysely';
import type { IndexRows, SubjectRow } from './rows.ts';

type Row = Readonly<Record<string, unknown>>;

/** Rows as a table of the database: one array for each column, which costs far less than a parameter for each value. */
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

/** Stores what blocks and outcomes said. What is there already stays as it is, so blocks can be read twice. */
export async function storeRows(tx: Tx, rows: IndexRows, lookAt: Date): Promise<void> {
  const { transactions, receipts, origins, calls, callTokens, callAccounts, accounts, tokenAccounts, mints } = rows;
  if (transactions.length > 0) {
    await sql`
      insert into near_seen_transactions (hash, height, block_hash, block_time, chunk_hash, index_in_chunk, signer,
        signer_key, receiver, nonce, signature, status, receipt_id, gas_burnt, tokens_burnt, look_at)
      select hash, height, block_hash, block_time, chunk_hash, index_in_chunk, signer, signer_key, receiver, nonce,
        signature, status, receipt_id, gas_burnt, tokens_burnt, case when is_settled then null else ${lookAt}::timestamptz end
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
  // Refunds and the like come from an account that does not exist.
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

/** An interface is no record of unknown fields to the compiler, though it is one. */
function plain<R extends object>(row: R): Row {
  return row as unknown as Row;
}
