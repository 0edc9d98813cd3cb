import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { BorshError, BorshReader } from './borsh.ts';
import { curveOf, isSigned, keyLength, signatureLength, writeKey } from './keys.ts';
import type { Action, Permission, SignedTransaction, Transaction } from './transaction.ts';

export type Decoded =
  | { kind: 'decoded'; signed: SignedTransaction; isSigned: boolean }
  | { kind: 'malformed'; why: string };

/** Reads a signed transaction from its bytes and judges its signature. */
export function decodeSignedTransaction(bytes: Uint8Array): Decoded {
  const reader = new BorshReader(bytes);
  try {
    const transaction = readTransaction(reader);
    const digest = createHash('sha256').update(bytes.subarray(0, reader.offset)).digest();
    const curve = curveOf(reader.u8());
    if (curve === undefined) throw new BorshError('The signature is of no curve that is known.');
    const signature = reader.fixed(signatureLength(curve));
    if (!reader.isAtEnd) throw new BorshError('There are bytes behind the signature.');
    return {
      kind: 'decoded',
      isSigned: transaction.publicKey.startsWith(curve) && isSigned(transaction.publicKey, digest, signature),
      signed: { transaction, hash: base58.encode(digest), signature: writeKey(curve, signature) },
    };
  } catch (error) {
    return { kind: 'malformed', why: error instanceof Error ? error.message : 'unreadable' };
  }
}

function readTransaction(reader: BorshReader): Transaction {
  return {
    signerId: reader.text(),
    publicKey: readPublicKey(reader),
    nonce: reader.u64(),
    receiverId: reader.text(),
    blockHash: base58.encode(reader.fixed(32)),
    actions: reader.list(() => readAction(reader)),
  };
}

function readPublicKey(reader: BorshReader): string {
  const curve = curveOf(reader.u8());
  if (curve === undefined) throw new BorshError('The key is of no curve that is known.');
  return writeKey(curve, reader.fixed(keyLength(curve)));
}

function readPermission(reader: BorshReader): Permission {
  if (reader.u8() === 1) return 'FullAccess';
  const allowance = reader.u8() === 1 ? reader.u128() : null;
  return { allowance, receiverId: reader.text(), methodNames: reader.list(() => reader.text()) };
}

const readers: readonly ((reader: BorshReader) => Action)[] = [
  () => ({ kind: 'CreateAccount' }),
  (reader) => ({ kind: 'DeployContract', code: reader.bytes() }),
  (reader) => ({
    kind: 'FunctionCall',
    method: reader.text(),
    args: reader.bytes(),
    gas: Number(reader.u64()),
    deposit: reader.u128(),
  }),
  (reader) => ({ kind: 'Transfer', deposit: reader.u128() }),
  (reader) => ({ kind: 'Stake', stake: reader.u128(), publicKey: readPublicKey(reader) }),
  (reader) => ({
    kind: 'AddKey',
    publicKey: readPublicKey(reader),
    nonce: reader.u64(),
    permission: readPermission(reader),
  }),
  (reader) => ({ kind: 'DeleteKey', publicKey: readPublicKey(reader) }),
  (reader) => ({ kind: 'DeleteAccount', beneficiaryId: reader.text() }),
];
const useGlobalContract = 10;

function readAction(reader: BorshReader): Action {
  const index = reader.u8();
  if (index === useGlobalContract) return readUseGlobal(reader);
  const read = readers[index];
  if (read === undefined) throw new BorshError(`Action ${index} is not known here.`);
  return read(reader);
}

function readUseGlobal(reader: BorshReader): Action {
  const isHash = reader.u8() === 0;
  return {
    kind: 'UseGlobalContract',
    codeHash: isHash ? base58.encode(reader.fixed(32)) : undefined,
    accountId: isHash ? undefined : reader.text(),
  };
}
