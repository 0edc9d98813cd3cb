import { readInput } from '@latchkey/kernel';
import { equalBytes } from '@noble/curves/utils.js';
import { giveWay } from '../give-way.ts';
import type { BitcoinAddress } from './address.ts';
import { checkInput } from './check-input.ts';
import { decodeProof, type Variant } from './decode-proof.ts';
import { invalid, type Judgement, unknown, valid } from './judgement.ts';
import { type Bip322Proof, opReturn, toSpendTxid } from './to-sign.ts';

const malformedScript = invalid('A script or key in the signature cannot be read.');

/** Judges a signature of BIP-322 in one of its variants: simple, full, or full with a proof of funds. */
export async function verifyBip322(
  address: BitcoinAddress,
  message: string,
  variant: Variant,
  bytes: Uint8Array,
): Promise<Judgement> {
  const challenge = { address, message, toSpendTxid: toSpendTxid(message, address.script) };
  const proof = readInput(() => decodeProof(variant, bytes, challenge));
  if (!proof) return invalid(`The signature is not of the variant "${variant}" of BIP-322 for this address.`);
  return checkForm(proof, challenge.toSpendTxid) ?? (await checkInputs(proof));
}

/** The transaction must be the virtual one of the BIP: a real one must never pass for an agreement to a message. */
function checkForm({ toSign }: Bip322Proof, expectedTxid: Uint8Array): Judgement | undefined {
  const [input] = toSign.inputs;
  const [output] = toSign.outputs;
  if (input?.index !== 0 || !equalBytes(input.txid, expectedTxid)) {
    return invalid('The signature is of another address or over another message.');
  }
  const isEmpty = output?.amount === opReturn.amount && equalBytes(output.script, opReturn.script);
  if (toSign.outputs.length !== 1 || !isEmpty) return invalid('The signature is over a payment.');
  return undefined;
}

async function checkInputs({ toSign, spent }: Bip322Proof): Promise<Judgement> {
  const isKnownVersion = toSign.version === 0 || toSign.version === 2;
  let judgement = isKnownVersion ? valid : unknown('The signature has a version of the future.');
  for (const index of toSign.inputs.keys()) {
    if (index > 0) await giveWay();
    const next = readInput(() => checkInput(toSign, spent, index)) ?? malformedScript;
    if (next.kind === 'invalid') return next;
    if (next.kind === 'unknown') judgement = next;
  }
  return judgement;
}
