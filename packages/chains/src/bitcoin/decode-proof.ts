import { readInput } from '@latchkey/kernel';
import { base64 } from '@scure/base';
import { OutScript, RawTx, RawWitness, Script } from '@scure/btc-signer';
import { hash160 } from '@scure/btc-signer/utils.js';
import { decodeProofOfFunds } from './decode-proof-of-funds.ts';
import { type Bip322Proof, type Challenge, opReturn, spentByMessage, type ToSign } from './to-sign.ts';

export const variants = ['smp', 'ful', 'pof'] as const;
export type Variant = (typeof variants)[number];

/** Bytes from Base64 in its one spelling: padded, without spaces, without stray bits. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = readInput(() => base64.decode(text));
  return bytes && base64.encode(bytes) === text ? bytes : undefined;
}

/** Reads one of the three variants of BIP-322. Throws at bytes that are not of the variant. */
export function decodeProof(variant: Variant, bytes: Uint8Array, challenge: Challenge): Bip322Proof {
  switch (variant) {
    case 'smp':
      return { toSign: decodeSimple(bytes, challenge), spent: [spentByMessage(challenge)] };
    case 'ful':
      return { toSign: decodeFull(bytes), spent: [spentByMessage(challenge)] };
    case 'pof':
      return decodeProofOfFunds(bytes, challenge);
  }
}

function decodeSimple(bytes: Uint8Array, { address, toSpendTxid }: Challenge): ToSign {
  const witness = RawWitness.decode(bytes);
  const scriptSig = address.kind === 'sh' ? nestedScriptSig(witness) : new Uint8Array();
  const input = { txid: toSpendTxid, index: 0, sequence: 0, scriptSig, witness };
  return { version: 0, lockTime: 0, inputs: [input], outputs: [opReturn] };
}

/** Wallets older than the variants' names signed for P2SH-wrapped keys so; the script follows from the key. */
function nestedScriptSig(witness: readonly Uint8Array[]): Uint8Array {
  const [, publicKey] = witness;
  if (witness.length !== 2 || publicKey?.length !== 33)
    throw new Error('A wrapped witness holds a signature and a key.');
  return Script.encode([OutScript.encode({ type: 'wpkh', hash: hash160(publicKey) })]);
}

function decodeFull(bytes: Uint8Array): ToSign {
  const { version, lockTime, inputs, outputs, witnesses = [] } = RawTx.decode(bytes);
  if (inputs.length !== 1) throw new Error('A full signature has one input.');
  return {
    version,
    lockTime,
    outputs,
    inputs: inputs.map(({ txid, index, sequence, finalScriptSig }, place) => ({
      txid,
      index,
      sequence,
      scriptSig: finalScriptSig,
      witness: witnesses[place] ?? [],
    })),
  };
}
