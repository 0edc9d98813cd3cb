import { hash } from 'node:crypto';
import { AppError, principalId } from '@latchkey/kernel';
import type { Near, NearSending, NearSigned, NearStep } from '../../ports/index.ts';
import { isOperator, releaseSpending, requireSpender, reserveSpending } from '../../services/spending/index.ts';
import type { Context } from '../../shared/context.ts';
import { type NearContext, requireNear, unavailable } from './near-setup.ts';
import {
  findByPurpose,
  findTransaction,
  insertTransaction,
  type NearTransactionRow,
  resolveTransaction,
  retireTransaction,
  takeNonce,
} from './queries.ts';

export interface Sent {
  hash: string;
  value: unknown;
}

interface ServerTransaction {
  /** Identifies what is to happen; it happens once. */
  purpose: string;
  /** The details of the request. */
  request: unknown;
  receiverId: string;
  steps: readonly NearStep[];
  /** Whether the result of an earlier transaction still exists. On the chain it can be removed again. */
  isThere?: () => Promise<boolean>;
}

const maxSignings = 5;

export function hashOfRequest(request: unknown): string {
  return hash('sha256', JSON.stringify(request), 'hex');
}

/**
 * Performs an operation with the server's account once. The signed transaction is stored before it is sent; a later
 * attempt, after a crash or a lost response, looks it up and sends exactly the same bytes, which the chain executes at
 * most once. A new one is signed only when the chain has reported that the first will never be executed.
 */
export async function sendOnce(ctx: NearContext, serverTransaction: ServerTransaction): Promise<Sent> {
  const near = requireNear(ctx);
  for (let signings = 0; signings < maxSignings; signings += 1) {
    const known = await findByPurpose(ctx.db.system, near.network, serverTransaction.purpose);
    if (known?.state === 'done' && serverTransaction.isThere !== undefined && !(await serverTransaction.isThere())) {
      await retireTransaction(ctx.db.system, known);
      continue;
    }
    if (known !== undefined && known.request_hash !== hashOfRequest(serverTransaction.request))
      throw new AppError('STATE_CONFLICT', 'This request was already sent with different details.');
    const row = known ?? (await signNext(ctx, near, serverTransaction));
    const outcome = row && (await settleRow(ctx, near, row));
    if (outcome !== undefined) return outcome;
  }
  throw unavailable('the server’s account was used at the same time.');
}

/**
 * Signs with the next nonce and stores the transaction. Undefined if another process already did so for the purpose.
 */
async function signNext(
  ctx: NearContext,
  near: Near,
  { purpose, request, receiverId, steps }: ServerTransaction,
): Promise<NearTransactionRow | undefined> {
  requireSpender(ctx, coinOf(near));
  const { id: signerId, publicKey } = near.account;
  const [keys, blockHash] = await Promise.all([near.keysOf(signerId), near.finalBlockHash()]);
  const key = keys.find((candidate) => candidate.publicKey === publicKey);
  if (key === undefined || key.only !== undefined)
    throw unavailable('the server’s key does not have full access to its account.');
  return ctx.db.transaction('system', async (tx) => {
    const nonce = await takeNonce(tx, near.network, publicKey, key.nonce);
    const signed = await near.sign({ signerId, publicKey, nonce, receiverId, blockHash, steps });
    const row = rowOf(ctx, near, signed, { purpose, request_hash: hashOfRequest(request) });
    if (!(await insertTransaction(tx, row))) return undefined;
    const spending = { coin: coinOf(near), reference: row.hash, caller_id: row.created_by_id, amount: costOf(steps) };
    if (!isOperator(ctx.actor)) await reserveSpending(ctx, tx, spending);
    return { ...row, state: 'signed', result: null, settled_at: null };
  });
}

function rowOf(
  ctx: NearContext,
  near: Near,
  { hash, signerId, bytes }: NearSigned,
  about: Pick<NearTransactionRow, 'purpose' | 'request_hash'>,
) {
  return {
    ...about,
    network: near.network,
    hash,
    signer_id: signerId,
    signed: bytes,
    created_by_id: principalId(ctx.actor),
    created_at: ctx.clock(),
  };
}

/** Sends a transaction that a user signed, once: one that was sent before is only looked up. */
export async function sendSigned(ctx: NearContext, signed: NearSigned): Promise<Sent> {
  const near = requireNear(ctx);
  const row = rowOf(ctx, near, signed, { purpose: null, request_hash: null });
  await ctx.db.transaction('system', (tx) => insertTransaction(tx, row));
  const known = await findTransaction(ctx.db.system, near.network, signed.hash);
  const outcome = known && (await settleRow(ctx, near, known));
  if (outcome !== undefined) return outcome;
  throw new AppError(
    'STATE_CONFLICT',
    'The chain no longer accepts this signature: the key has signed something else or a day has passed. Send the request again without signatures.',
  );
}

/** Resolves the outcome of a transaction, and sends it if necessary. Undefined if it will never be executed. */
async function settleRow(ctx: NearContext, near: Near, row: NearTransactionRow): Promise<Sent | undefined> {
  if (row.state === 'done') return { hash: row.hash, value: row.result };
  if (row.state === 'failed') throw failed(String(row.result));
  if (row.state === 'refused') return undefined;
  const outcome = await near.send({ bytes: row.signed, hash: row.hash, signerId: row.signer_id });
  return conclude(ctx, row, outcome);
}

async function conclude(ctx: NearContext, row: NearTransactionRow, outcome: NearSending): Promise<Sent | undefined> {
  const settle = (state: NearTransactionRow['state'], result: unknown) =>
    resolveTransaction(ctx.db.system, row, { state, result, settled_at: ctx.clock() });
  switch (outcome.kind) {
    case 'done':
      await settle('done', outcome.value ?? null);
      return { hash: row.hash, value: outcome.value };
    case 'failed':
      await settle('failed', outcome.reason);
      throw failed(outcome.reason);
    case 'refused':
      await settle('refused', outcome.reason);
      await giveBack(ctx, row);
      if (outcome.isOutdated) return undefined;
      throw new AppError('STATE_CONFLICT', `The NEAR network rejected the transaction: ${outcome.reason}.`);
    case 'unknown':
      throw unavailable(
        `the outcome of transaction ${row.hash} is unknown (${outcome.reason.replace(/\.$/, '')}). Send the same request again: it will not be executed twice.`,
      );
  }
}

function failed(reason: string): AppError {
  return new AppError('STATE_CONFLICT', `The transaction failed on the chain: ${reason.replace(/\.$/, '')}.`);
}

// 100,000,000 yoctoNEAR per gas, the minimum price of networks.
const yoctoPerTeraGas = 100_000_000_000_000_000_000n;

const teraGasOfTransaction = 10n;

export function coinOf({ network }: Pick<Near, 'network'>): string {
  return `near:${network}`;
}

/**
 * Returns the most that this server's account pays for a transaction, in yoctoNEAR: what it transfers, and all of the
 * gas.
 */
export function costOf(steps: readonly NearStep[]): bigint {
  const handedOver = steps.reduce((sum, step) => sum + ('yocto' in step ? BigInt(step.yocto) : 0n), 0n);
  const teraGas = steps.reduce((sum, step) => sum + BigInt('teraGas' in step ? step.teraGas : 0), teraGasOfTransaction);
  return handedOver + teraGas * yoctoPerTeraGas;
}

/** Refunds a transaction that the chain will certainly never execute. */
export function giveBack(
  { db }: Pick<Context, 'db'>,
  row: Pick<NearTransactionRow, 'network' | 'hash'>,
): Promise<void> {
  return releaseSpending(db.system, { coin: coinOf(row), reference: row.hash });
}

/** The errors of requests that sent nothing, so that their record can be deleted. */
export const sentNothing: readonly unknown[] = ['STATE_CONFLICT', 'RATE_LIMITED', 'ROLE_NOT_ALLOWED'];
