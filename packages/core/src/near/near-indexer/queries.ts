import { type Sql, sql, type Tx } from '@latchkey/db';
import type { Generated } from 'kysely';
import type { NearTransactionOutcome } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import type { NearStatus } from './near-record.ts';

interface Placed {
  height: number;
  block_hash: string;
  block_time: string;
  chunk_hash: string;
  index_in_chunk: number;
}

interface StoredTransaction extends Placed {
  hash: string;
  signer: string;
  signer_key: string;
  receiver: string;
  nonce: string;
  signature: string;
  status: NearStatus;
  receipt_id: string | null;
  gas_burnt: string;
  tokens_burnt: string;
  check_at: Date | null;
  looks: number;
}

interface StoredReceipt extends Placed {
  id: string;
  kind: 'ACTION' | 'DATA';
  predecessor: string;
  receiver: string;
}

export interface StoredCall {
  receipt_id: string;
  action_index: number;
  place: number;
  block_time: string;
  caller: string;
  contract: string;
  method: string;
  args: string;
  is_direct: boolean;
}

interface StoredSubject {
  contract: string;
  place: number;
  receipt_id: string;
  action_index: number;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    near_index_cursor: { network: string; height: number; hash: string; reached_at: Generated<Date> };
    near_seen_transactions: StoredTransaction;
    near_seen_receipts: StoredReceipt;
    near_receipt_origins: { receipt_id: string; transaction_hash: string };
    near_function_calls: StoredCall;
    near_call_tokens: StoredSubject & { token_id: string };
    near_call_accounts: StoredSubject & { account: string };
    near_seen_accounts: { account: string; parent: string | null };
    near_token_accounts: { account: string; kind: string; contract: string };
    near_token_contracts: { contract: string; kind: string };
    near_token_mints: { contract: string; token_id: string; receipt_id: string; transaction_hash: string };
  }
}

export interface NearCursor {
  height: number;
  hash: string;
}

export async function selectCursor(db: Sql, network: string): Promise<NearCursor | undefined> {
  return db
    .selectFrom('near_index_cursor')
    .select(['height', 'hash'])
    .where('network', '=', network)
    .executeTakeFirst();
}

export async function insertCursor(db: Sql, network: string, { height, hash }: NearCursor): Promise<void> {
  await db
    .insertInto('near_index_cursor')
    .values({ network, height, hash })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Advances the cursor; false if another process did so first. */
export async function moveCursor(tx: Tx, network: string, from: NearCursor, to: NearCursor): Promise<boolean> {
  const moved = await tx
    .updateTable('near_index_cursor')
    .set({ height: to.height, hash: to.hash })
    .where('network', '=', network)
    .where('height', '=', from.height)
    .where('hash', '=', from.hash)
    .executeTakeFirst();
  return moved.numUpdatedRows === 1n;
}

/** Records that the newest block of the network is in the index. */
export async function markReached(db: Sql, network: string, now: Date): Promise<void> {
  await db.updateTable('near_index_cursor').set({ reached_at: now }).where('network', '=', network).execute();
}

/** How far the index is, beside the followed chains. */
export const nearIndexMetrics = sql`
  select 'chain-behind' as metric, 'near:' || network as label,
    greatest(0, extract(epoch from now() - reached_at))::float8 as value from near_index_cursor
  union all
  select 'chain-block', 'near:' || network, height from near_index_cursor`;

export function selectPendingReceipts(
  db: Sql,
  now: Date,
  limit: number,
): Promise<{ hash: string; signer: string; height: number; looks: number }[]> {
  return db
    .selectFrom('near_seen_transactions')
    .select(['hash', 'signer', 'height', 'looks'])
    .where('check_at', '<=', now)
    .orderBy('check_at')
    .limit(limit)
    .execute();
}

/** Stores the outcome of a transaction; `lookAt` is null if it is complete. */
export async function updateOutcome(
  tx: Tx,
  hash: string,
  outcome: NearTransactionOutcome | undefined,
  check: Date | null,
): Promise<void> {
  await tx
    .updateTable('near_seen_transactions')
    .set((eb) => ({
      check_at: check,
      looks: eb('looks', '+', 1),
      ...(outcome !== undefined && {
        status: outcome.status,
        receipt_id: outcome.receiptId ?? null,
        gas_burnt: outcome.gasBurnt,
        tokens_burnt: outcome.tokensBurnt,
      }),
    }))
    .where('hash', '=', hash)
    .execute();
  if (outcome?.receiptId === undefined) return;
  await tx
    .updateTable('near_function_calls')
    .set({ is_direct: true })
    .where('receipt_id', '=', outcome.receiptId)
    .execute();
}

export function selectTransaction(db: Sql, hash: string): Promise<StoredTransaction | undefined> {
  return db.selectFrom('near_seen_transactions').selectAll().where('hash', '=', hash).executeTakeFirst();
}

export function selectReceipt(
  db: Sql,
  id: string,
): Promise<(StoredReceipt & { transaction_hash: string | null }) | undefined> {
  return db
    .selectFrom('near_seen_receipts')
    .leftJoin('near_receipt_origins', 'near_receipt_origins.receipt_id', 'near_seen_receipts.id')
    .selectAll('near_seen_receipts')
    .select('near_receipt_origins.transaction_hash')
    .where('near_seen_receipts.id', '=', id)
    .executeTakeFirst();
}

export interface Window {
  limit: number;
  offset: number;
}

export function selectCalls(
  db: Sql,
  { contract, caller, onlyDirect }: { contract?: string; caller?: string; onlyDirect: boolean },
  { limit, offset }: Window,
): Promise<StoredCall[]> {
  return db
    .selectFrom('near_function_calls')
    .selectAll()
    .$if(onlyDirect, (query) => query.where('is_direct', 'is', true))
    .$if(contract !== undefined, (query) => query.where('contract', '=', contract ?? ''))
    .$if(caller !== undefined, (query) => query.where('caller', '=', caller ?? ''))
    .orderBy('place', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

/** Finds the calls of a contract about a token or an account. The page is selected before the calls are fetched. */
export async function selectCallsAbout(
  db: Sql,
  about: 'token' | 'account',
  contract: string,
  subject: string,
  { limit, offset }: Window,
): Promise<StoredCall[]> {
  const [table, column] = about === 'token' ? ['near_call_tokens', 'token_id'] : ['near_call_accounts', 'account'];
  const { rows } = await sql<StoredCall>`
    select c.* from (
      select receipt_id, action_index, place from ${sql.table(table)}
      where contract = ${contract} and ${sql.ref(column)} = ${subject}
      order by place desc limit ${limit} offset ${offset}
    ) s join near_function_calls c using (receipt_id, action_index)
    order by s.place desc`.execute(db);
  return rows;
}

export async function selectChildren(
  db: Sql,
  parent: string,
  kind: 'ft' | 'nft' | undefined,
  { limit, offset }: Window,
): Promise<string[]> {
  const rows = await db
    .selectFrom('near_seen_accounts as a')
    .select('a.account')
    .where('a.parent', '=', parent)
    .$if(kind !== undefined, (query) =>
      query.where((eb) =>
        eb.exists(
          eb
            .selectFrom('near_token_contracts as t')
            .select('t.kind')
            .whereRef('t.contract', '=', 'a.account')
            .where('t.kind', '=', kind ?? ''),
        ),
      ),
    )
    .orderBy('a.account')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(({ account }) => account);
}

export async function selectTokenContracts(
  db: Sql,
  account: string,
  kind: 'ft' | 'nft',
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('near_token_accounts')
    .select('contract')
    .where('account', '=', account)
    .where('kind', '=', kind)
    .orderBy('contract')
    .limit(limit)
    .execute();
  return rows.map(({ contract }) => contract);
}

export const nearIndexTables = [
  'near_index_cursor',
  'near_seen_transactions',
  'near_seen_receipts',
  'near_receipt_origins',
  'near_function_calls',
  'near_call_tokens',
  'near_call_accounts',
  'near_seen_accounts',
  'near_token_accounts',
  'near_token_contracts',
  'near_token_mints',
] as const;

/** Empties the index, for a network that was reset and has a new history. */
export async function forgetNearIndex({ db }: Pick<Context, 'db'>): Promise<void> {
  await db.transaction('system', async (tx) => {
    for (const table of nearIndexTables) await tx.deleteFrom(table).execute();
  });
}
