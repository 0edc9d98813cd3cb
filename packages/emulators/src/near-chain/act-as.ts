import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { findAccount, findKey } from './accounts.ts';
import type { Chain } from './chain.ts';
import { encodeTransaction } from './encode-transaction.ts';
import type { Action, SignedTransaction } from './transaction.ts';

/**
 * Puts a transaction of an account into the next block without anybody signing it, which is many times faster. Everything
 * but the signature is as if it had been sent: hash, nonce, cost and receipts.
 */
export function actAs(
  chain: Chain,
  signerId: string,
  receiverId: string,
  actions: readonly Action[],
  ahead = 0n,
): string {
  const publicKey = findAccount(chain.state, signerId)?.keys[0];
  const key = publicKey === undefined ? undefined : findKey(chain.state, signerId, publicKey);
  if (publicKey === undefined || key === undefined) throw new Error(`${signerId} has no key to act with.`);
  const nonce = key.nonce + 1n + ahead;
  const transaction = { signerId, publicKey, nonce, receiverId, blockHash: chain.final.hash, actions };
  const digest = createHash('sha256').update(encodeTransaction(transaction)).digest();
  const signature = `ed25519:${base58.encode(Buffer.concat([digest, digest]))}`;
  const signed: SignedTransaction = { transaction, hash: base58.encode(digest), signature };
  chain.enqueue(signed);
  return signed.hash;
}

/** An action that calls a method with JSON. */
export function callAction(
  method: string,
  args: Readonly<Record<string, unknown>>,
  { deposit = 0n, teraGas = 30 }: { deposit?: bigint; teraGas?: number } = {},
): Action {
  const gas = teraGas * 1_000_000_000_000;
  return { kind: 'FunctionCall', method, args: Buffer.from(JSON.stringify(args)), gas, deposit };
}
