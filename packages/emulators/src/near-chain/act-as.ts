import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { findAccount, findKey } from './accounts.ts';
import { BorshWriter } from './borsh.ts';
import type { Chain } from './chain.ts';
import { readKey } from './keys.ts';
import type { Action, Permission, SignedTransaction, Transaction } from './transaction.ts';

/**
 * Puts a transaction of an account into the next block without a signature, which is many times faster. Everything except the signature is
 * as if it had been sent: hash, nonce, cost and receipts.
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

/** Returns an action that calls a method with JSON. */
export function callAction(
  method: string,
  args: Readonly<Record<string, unknown>>,
  { deposit = 0n, teraGas = 30 }: { deposit?: bigint; teraGas?: number } = {},
): Action {
  const gas = teraGas * 1_000_000_000_000;
  return { kind: 'FunctionCall', method, args: Buffer.from(JSON.stringify(args)), gas, deposit };
}

/** Encodes a transaction to the bytes that are hashed and signed. */
function encodeTransaction(transaction: Transaction): Uint8Array {
  const writer = new BorshWriter().text(transaction.signerId);
  writeKeyTo(writer, transaction.publicKey);
  writer.u64(transaction.nonce).text(transaction.receiverId).fixed(base58.decode(transaction.blockHash));
  return writer.list(transaction.actions, (action) => writeAction(writer, action)).done();
}

function writeKeyTo(writer: BorshWriter, text: string): void {
  const key = readKey(text);
  if (key === undefined) throw new Error(`${text} is not a public key.`);
  writer.u8(key.index).fixed(key.bytes);
}

function writePermission(writer: BorshWriter, permission: Permission): void {
  if (permission === 'FullAccess') return void writer.u8(1);
  writer.u8(0);
  if (permission.allowance === null) writer.u8(0);
  else writer.u8(1).u128(permission.allowance);
  writer.text(permission.receiverId).list(permission.methodNames, (name) => writer.text(name));
}

function writeAction(writer: BorshWriter, action: Action): void {
  switch (action.kind) {
    case 'CreateAccount':
      return void writer.u8(0);
    case 'DeployContract':
      return void writer.u8(1).bytes(action.code);
    case 'FunctionCall':
      return void writer.u8(2).text(action.method).bytes(action.args).u64(BigInt(action.gas)).u128(action.deposit);
    case 'Transfer':
      return void writer.u8(3).u128(action.deposit);
    case 'Stake':
      return void writeKeyTo(writer.u8(4).u128(action.stake), action.publicKey);
    case 'AddKey':
      writeKeyTo(writer.u8(5), action.publicKey);
      return void writePermission(writer.u64(action.nonce), action.permission);
    case 'DeleteKey':
      return void writeKeyTo(writer.u8(6), action.publicKey);
    case 'DeleteAccount':
      return void writer.u8(7).text(action.beneficiaryId);
    case 'UseGlobalContract': {
      const isHash = action.codeHash !== undefined;
      writer.u8(10).u8(isHash ? 0 : 1);
      if (isHash) writer.fixed(base58.decode(action.codeHash ?? ''));
      else writer.text(action.accountId ?? '');
    }
  }
}
