import { type Sql, sql } from '@latchkey/db';
import { AppError, notFound, notSetUp, parseForEcho } from '@latchkey/kernel';
import type { Context, Settings } from '../../shared/context.ts';
import type { FunctionCall, NearReceipt, NearTransaction } from './near-record.ts';
import {
  type StoredCall,
  selectCalls,
  selectCallsAbout,
  selectChildren,
  selectReceipt,
  selectTokenContracts,
  selectTransaction,
  type Window,
} from './queries.ts';

type ReadContext = Pick<Context, 'db'> & { settings: Pick<Settings, 'nearIndex'> };

const usualLimit = 100;

const maxContracts = 1000;

/**
 * Returns the index to read from. Throws if none is configured: an empty index would report that nothing ever happened.
 */
function indexOf({ db, settings }: ReadContext): Context['db']['system'] {
  if (settings.nearIndex === undefined)
    throw notSetUp('This server does not index a NEAR network. The operator can set one with LATCHKEY_NEAR_INDEX.');
  return db.system;
}

const windowOf = ({ limit = usualLimit, offset = 0 }: { limit?: number; offset?: number }): Window => ({
  limit,
  offset,
});

export async function getReceipt(ctx: ReadContext, { receiptId }: { receiptId: string }): Promise<NearReceipt> {
  const row = await selectReceipt(indexOf(ctx), receiptId);
  if (row === undefined) throw notFound('receipt');
  return {
    receipt_id: row.id,
    receipt_kind: row.kind,
    included_in_block_hash: row.block_hash,
    included_in_block_timestamp: BigInt(row.block_time),
    included_in_chunk_hash: row.chunk_hash,
    index_in_chunk: row.index_in_chunk,
    ...(row.transaction_hash !== null && { originated_from_transaction_hash: row.transaction_hash }),
    predecessor_account_id: row.predecessor,
    receiver_account_id: row.receiver,
  };
}

export async function getTransaction(ctx: ReadContext, { txHash }: { txHash: string }): Promise<NearTransaction> {
  const row = await selectTransaction(indexOf(ctx), txHash);
  if (row === undefined) throw notFound('transaction');
  return {
    transaction_hash: row.hash,
    status: row.status,
    block_timestamp: BigInt(row.block_time),
    ...(row.receipt_id !== null && { converted_into_receipt_id: row.receipt_id }),
    included_in_block_hash: row.block_hash,
    included_in_chunk_hash: row.chunk_hash,
    index_in_chunk: row.index_in_chunk,
    nonce: BigInt(row.nonce),
    receipt_conversion_gas_burnt: BigInt(row.gas_burnt),
    receipt_conversion_tokens_burnt: BigInt(row.tokens_burnt),
    receiver_account_id: row.receiver,
    signature: row.signature,
    signer_account_id: row.signer,
    signer_public_key: row.signer_key,
  };
}

interface CallFilter {
  contract?: string;
  caller?: string;
  limit?: number;
  offset?: number;
}

/** Lists the calls that transactions made directly. */
export async function getTransactions(ctx: ReadContext, input: CallFilter): Promise<FunctionCall[]> {
  const calls = await selectCalls(indexOf(ctx), { ...input, onlyDirect: true }, windowOf(input));
  return calls.map(toFunctionCall);
}

/** Lists every call of a contract, including those by other contracts. */
export async function getFunctionCalls(
  ctx: ReadContext,
  input: CallFilter & { contract: string },
): Promise<FunctionCall[]> {
  const calls = await selectCalls(indexOf(ctx), { ...input, onlyDirect: false }, windowOf(input));
  return calls.map(toFunctionCall);
}

export async function getTransactionHistoryForToken(
  ctx: ReadContext,
  { contract, tokenId, ...input }: { contract: string; tokenId: string; limit?: number; offset?: number },
): Promise<FunctionCall[]> {
  const calls = await selectCallsAbout(indexOf(ctx), 'token', contract, tokenId, windowOf(input));
  return calls.map(toFunctionCall);
}

export async function getTransactionHistoryForAccount(
  ctx: ReadContext,
  { contract, account, ...input }: { contract: string; account: string; limit?: number; offset?: number },
): Promise<FunctionCall[]> {
  const calls = await selectCallsAbout(indexOf(ctx), 'account', contract, account, windowOf(input));
  return calls.map(toFunctionCall);
}

export async function getChildAccounts(
  ctx: ReadContext,
  { parentAccount, type, ...input }: { parentAccount: string; type?: string; limit?: number; offset?: number },
): Promise<string[]> {
  if (type !== undefined && type !== 'ft' && type !== 'nft')
    throw new AppError(
      'INVALID_PARAMETER_VALUE',
      'The parameter type must be ft or nft. Omit it to list every account.',
    );
  return selectChildren(indexOf(ctx), parentAccount, type, windowOf(input));
}

export async function findLikelyTokens(ctx: ReadContext, { accountId }: { accountId: string }): Promise<string[]> {
  return selectTokenContracts(indexOf(ctx), accountId, 'ft', maxContracts);
}

export async function findLikelyNfts(ctx: ReadContext, { accountId }: { accountId: string }): Promise<string[]> {
  return selectTokenContracts(indexOf(ctx), accountId, 'nft', maxContracts);
}

function toFunctionCall(row: StoredCall): FunctionCall {
  return {
    method: row.method,
    args: Object(parseForEcho(row.args)),
    timestamp: BigInt(row.block_time),
    receiptId: row.receipt_id,
    actionIndex: row.action_index,
    caller: row.caller,
    contract: row.contract,
  };
}

/** When and by which transaction a token was minted. */
export interface NearMint {
  transactionHash: string;
  at: Date;
}

/** Finds the latest mint of each of these tokens of a contract, as far as it is indexed. */
export async function findMints(
  db: Sql,
  contract: string,
  tokenIds: readonly string[],
): Promise<Map<string, NearMint>> {
  const { rows } = await sql<{ token_id: string; transaction_hash: string; block_time: string }>`
    select distinct on (m.token_id) m.token_id, m.transaction_hash, r.block_time
    from near_token_mints m join near_seen_receipts r on r.id = m.receipt_id
    where m.contract = ${contract} and m.token_id = any (${tokenIds}::text[])
    order by m.token_id, r.height desc`.execute(db);
  return new Map(
    rows.map((row) => [row.token_id, { transactionHash: row.transaction_hash, at: dateOfNs(row.block_time) }]),
  );
}

function dateOfNs(nanoseconds: string): Date {
  return new Date(Number(BigInt(nanoseconds) / 1_000_000n));
}
