import { RawTx, SigHash, Transaction } from '@scure/btc-signer';
import { sha256x2 } from '@scure/btc-signer/utils.js';
import type { Output, ToSign } from './to-sign.ts';

const noBytes = new Uint8Array();
const sighashAllSuffix = Uint8Array.of(1, 0, 0, 0);

/** What a signature outside of witnesses signs, with SIGHASH_ALL. */
export function legacySighash(toSign: ToSign, index: number, scriptCode: Uint8Array): Uint8Array {
  const { version, lockTime, outputs } = toSign;
  const inputs = toSign.inputs.map((input, place) => ({
    txid: input.txid,
    index: input.index,
    sequence: input.sequence,
    finalScriptSig: place === index ? scriptCode : noBytes,
  }));
  return sha256x2(RawTx.encode({ version, segwitFlag: false, inputs, outputs, lockTime }), sighashAllSuffix);
}

/** What a signature in a witness of version 0 signs (BIP-143), with SIGHASH_ALL. */
export function witnessSighash(toSign: ToSign, index: number, scriptCode: Uint8Array, amount: bigint): Uint8Array {
  return asTransaction(toSign).preimageWitnessV0(index, scriptCode, SigHash.ALL, amount);
}

/** What a Taproot key signs (BIP-341); `hashType` is 0 (DEFAULT) or 1 (ALL). */
export function taprootSighash(toSign: ToSign, index: number, spent: readonly Output[], hashType: 0 | 1): Uint8Array {
  const scripts = spent.map((output) => output.script);
  const amounts = spent.map((output) => output.amount);
  return asTransaction(toSign).preimageWitnessV1(index, scripts, hashType, amounts);
}

function asTransaction({ version, lockTime, inputs, outputs }: ToSign): Transaction {
  const transaction = new Transaction({ version, lockTime, allowUnknownOutputs: true });
  for (const { txid, index, sequence } of inputs) transaction.addInput({ txid, index, sequence });
  for (const output of outputs) transaction.addOutput(output);
  return transaction;
}
