import { schnorr } from '@noble/curves/secp256k1.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { RawTx } from '@scure/btc-signer';
import { sha256x2 } from '@scure/btc-signer/utils.js';
import type { BitcoinAddress } from './address.ts';

export interface Output {
  amount: bigint;
  script: Uint8Array;
}

export interface SignedInput {
  /** The id of the transaction it spends from, in the byte order that block explorers print. */
  txid: Uint8Array;
  index: number;
  sequence: number;
  scriptSig: Uint8Array;
  witness: Uint8Array[];
}

/** BIP-322's second virtual transaction: its first input spends the message, and its only output is empty. */
export interface ToSign {
  version: number;
  lockTime: number;
  inputs: SignedInput[];
  outputs: Output[];
}

/** What a signature must sign. */
export interface Challenge {
  address: BitcoinAddress;
  message: string;
  toSpendTxid: Uint8Array;
}

/** A decoded BIP-322 signature: the transaction it signs, and the outputs that the transaction spends. */
export interface Bip322Proof {
  toSign: ToSign;
  spent: Output[];
}

/** One input of the signed transaction, with the outputs that all of its inputs spend. */
export interface Spending {
  toSign: ToSign;
  index: number;
  input: SignedInput;
  spent: readonly Output[];
  amount: bigint;
}

export const opReturn: Output = { amount: 0n, script: Uint8Array.of(0x6a) };

export function hashMessage(message: string): Uint8Array {
  return schnorr.utils.taggedHash('BIP0322-signed-message', utf8ToBytes(message));
}

/**
 * Returns the id of BIP-322's first virtual transaction, which binds a message to the script of an address. It spends an output that cannot
 * exist, so nothing signed over it can ever be a payment.
 */
export function toSpendTxid(message: string, script: Uint8Array): Uint8Array {
  const input = {
    txid: new Uint8Array(32),
    index: 0xffff_ffff,
    finalScriptSig: concatBytes(Uint8Array.of(0x00, 0x20), hashMessage(message)),
    sequence: 0,
  };
  const outputs = [{ amount: 0n, script }];
  return transactionId(RawTx.encode({ version: 0, segwitFlag: false, inputs: [input], outputs, lockTime: 0 }));
}

/** Returns the id of a transaction, given its bytes without witnesses. */
export function transactionId(bytes: Uint8Array): Uint8Array {
  return sha256x2(bytes).reverse();
}

/** Returns the output of the first virtual transaction, which the first input of the second one spends. */
export function spentByMessage({ address }: Challenge): Output {
  return { amount: 0n, script: address.script };
}
