import type { ProofVerdict } from '@latchkey/core/ports';
import { readInput } from '@latchkey/kernel';
import { equalBytes } from '@noble/curves/utils.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { base64 } from '@scure/base';
import { OutScript, RawTx, RawWitness, Script } from '@scure/btc-signer';
import { RawPSBTV0 } from '@scure/btc-signer/psbt.js';
import { hash160 } from '@scure/btc-signer/utils.js';
import { decodeText, hexText } from '../decode-text.ts';
import type { WalletClaim } from '../wallet-namespace.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import { type BitcoinAddress, parseAddress } from './address.ts';
import { checkInput } from './check-input.ts';
import { type Evaluation, invalid, unknown, valid } from './evaluation.ts';
import {
  type Bip322Proof,
  type Challenge,
  type Output,
  opReturn,
  type SignedInput,
  spentByMessage,
  type ToSign,
  toSpendTxid,
  transactionId,
} from './to-sign.ts';
import { type Bip137Options, verifyBip137 } from './verify-bip137.ts';

const maxSignatureLength = 65_536;
const bip137Length = 65;

export async function verifyBitcoinClaim(claim: WalletClaim, options: Bip137Options): Promise<ProofVerdict> {
  const address = parseAddress(claim.address, claim.chain);
  if (!address) return { kind: 'invalid', reason: 'This is not an address on this Bitcoin network.' };
  const evaluation = await verifySignature(address, claim, options);
  return evaluation.kind === 'valid' ? { kind: 'valid', address: address.text } : evaluation;
}

/** A prefix names a BIP-322 variant. Without one, 65 bytes are BIP-137 and everything else is BIP-322's simple variant. */
async function verifySignature(
  address: BitcoinAddress,
  claim: WalletClaim,
  options: Bip137Options,
): Promise<Evaluation> {
  const { signature, message } = claim;
  if (typeof signature !== 'string' || signature.length > maxSignatureLength) {
    return invalid('The signature has an invalid length.');
  }
  const variant = variants.find((prefix) => signature.startsWith(prefix));
  const bytes = decodeBase64(variant ? signature.slice(variant.length) : signature) ?? readHexBip137(signature);
  if (!bytes) return invalid('The signature is neither Base64 nor 65 bytes in hexadecimal.');
  if (!variant && bytes.length === bip137Length) return verifyBip137(address, message, bytes, options);
  return verifyBip322(address, message, variant ?? 'smp', bytes);
}

/** Some tools write BIP-137 signatures in hexadecimal. Hexadecimal text of this length cannot be a valid Base64 signature. */
function readHexBip137(signature: string): Uint8Array | undefined {
  return decodeText(hexText, signature, bip137Length);
}

const malformedScript = invalid('A script or key in the signature cannot be read.');

/** Verifies a BIP-322 signature in one of its variants: simple, full, or full with a proof of funds. */
async function verifyBip322(
  address: BitcoinAddress,
  message: string,
  variant: Variant,
  bytes: Uint8Array,
): Promise<Evaluation> {
  const challenge = { address, message, toSpendTxid: toSpendTxid(message, address.script) };
  const proof = readInput(() => decodeProof(variant, bytes, challenge));
  if (!proof) return invalid(`The signature is not of the variant "${variant}" of BIP-322 for this address.`);
  return checkForm(proof, challenge.toSpendTxid) ?? (await checkInputs(proof));
}

/** The transaction must be BIP-322's virtual one: a real payment must never count as a signed message. */
function checkForm({ toSign }: Bip322Proof, expectedTxid: Uint8Array): Evaluation | undefined {
  const [input] = toSign.inputs;
  const [output] = toSign.outputs;
  if (input?.index !== 0 || !equalBytes(input.txid, expectedTxid)) {
    return invalid('The signature is for a different address or message.');
  }
  const isEmpty = output?.amount === opReturn.amount && equalBytes(output.script, opReturn.script);
  if (toSign.outputs.length !== 1 || !isEmpty) return invalid('The signature signs a payment.');
  return undefined;
}

async function checkInputs({ toSign, spent }: Bip322Proof): Promise<Evaluation> {
  const isKnownVersion = toSign.version === 0 || toSign.version === 2;
  let evaluation = isKnownVersion ? valid : unknown('The signature has an unsupported version.');
  for (const index of toSign.inputs.keys()) {
    if (index > 0) await yieldToEventLoop();
    const next = readInput(() => checkInput(toSign, spent, index)) ?? malformedScript;
    if (next.kind === 'invalid') return next;
    if (next.kind === 'unknown') evaluation = next;
  }
  return evaluation;
}

export const variants = ['smp', 'ful', 'pof'] as const;
type Variant = (typeof variants)[number];

/** Decodes canonical Base64: padded, without whitespace, without stray bits. */
function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = readInput(() => base64.decode(text));
  return bytes && base64.encode(bytes) === text ? bytes : undefined;
}

/** Decodes one of the three variants of BIP-322. Throws for bytes that do not match the variant. */
function decodeProof(variant: Variant, bytes: Uint8Array, challenge: Challenge): Bip322Proof {
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

/** Wallets that predate the variant prefixes signed for P2SH-wrapped keys this way. The script follows from the key. */
function nestedScriptSig(witness: readonly Uint8Array[]): Uint8Array {
  const [, publicKey] = witness;
  if (witness.length !== 2 || publicKey?.length !== 33)
    throw new Error('A wrapped witness must contain a signature and a key.');
  return Script.encode([OutScript.encode({ type: 'wpkh', hash: hash160(publicKey) })]);
}

function decodeFull(bytes: Uint8Array): ToSign {
  const { version, lockTime, inputs, outputs, witnesses = [] } = RawTx.decode(bytes);
  if (inputs.length !== 1) throw new Error('A full signature must have one input.');
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

interface PreviousTransaction {
  version: number;
  lockTime: number;
  inputs: { txid: Uint8Array; index: number; sequence: number; finalScriptSig: Uint8Array }[];
  outputs: Output[];
}

// The library's own types drop the fields of transactions.
interface Psbt {
  global: { unsignedTx?: PreviousTransaction; genericSignedMessage?: Uint8Array };
  inputs: {
    nonWitnessUtxo?: PreviousTransaction;
    witnessUtxo?: Output;
    finalScriptSig?: Uint8Array;
    finalScriptWitness?: Uint8Array[];
  }[];
  outputs: object[];
}

// Each input costs the server one verification, and a sign-in needs none of them.
const maxInputs = 20;
const globalFields = ['unsignedTx', 'version', 'genericSignedMessage'];
const witnessKinds = ['wpkh', 'wsh', 'tr', 'sh'];
const inputFields = ['nonWitnessUtxo', 'witnessUtxo', 'finalScriptSig', 'finalScriptWitness'];

/**
 * Decodes a proof of funds: a finalized PSBT whose additional inputs are outputs of the signer. All of its signatures are verified against
 * the outputs that it describes. It does not check that those outputs exist and are unspent, because a sign-in proves an address, not
 * funds. Throws for anything else.
 */
function decodeProofOfFunds(bytes: Uint8Array, challenge: Challenge): Bip322Proof {
  const psbt: Psbt = RawPSBTV0.decode(bytes);
  const unsigned = psbt.global.unsignedTx;
  if (!unsigned || unsigned.inputs.length < 2 || unsigned.inputs.length > maxInputs || psbt.outputs.length !== 1) {
    throw new Error(`A proof of funds must have 2 to ${maxInputs} inputs and one output.`);
  }
  refuseOtherFields(psbt);
  const named = psbt.global.genericSignedMessage;
  if (named && !equalBytes(named, utf8ToBytes(challenge.message)))
    throw new Error('The proof is for a different message.');
  const inputs = unsigned.inputs.map(({ txid, index, sequence }, place): SignedInput => {
    const { finalScriptSig = new Uint8Array(), finalScriptWitness = [] } = psbt.inputs[place] ?? {};
    return { txid, index, sequence, scriptSig: finalScriptSig, witness: finalScriptWitness };
  });
  const outpoints = new Set(inputs.map(({ txid, index }) => `${bytesToHex(txid)}:${index}`));
  if (outpoints.size !== inputs.length) throw new Error('The proof spends an output twice.');
  const { version, lockTime, outputs } = unsigned;
  return { toSign: { version, lockTime, inputs, outputs }, spent: findSpent(psbt, inputs, challenge) };
}

/** A finalized PSBT has no other fields: unsigned content must not be able to vary. */
function refuseOtherFields(psbt: Psbt): void {
  const strange = (map: object, known: readonly string[]) => Object.keys(map).some((field) => !known.includes(field));
  if (
    strange(psbt.global, globalFields) ||
    psbt.inputs.some((input) => strange(input, inputFields)) ||
    psbt.outputs.some((output) => strange(output, []))
  ) {
    throw new Error('The proof contains fields that a finalized proof cannot have.');
  }
}

function findSpent(psbt: Psbt, inputs: readonly SignedInput[], challenge: Challenge): Output[] {
  // One transaction may be included once for several inputs that spend from it.
  const previous = new Map<string, PreviousTransaction>();
  for (const { nonWitnessUtxo } of psbt.inputs) {
    if (nonWitnessUtxo) previous.set(bytesToHex(idOf(nonWitnessUtxo)), nonWitnessUtxo);
  }
  const spent = inputs.map(({ txid, index, witness }, place): Output => {
    const { witnessUtxo, nonWitnessUtxo } = psbt.inputs[place] ?? {};
    if (nonWitnessUtxo && !equalBytes(idOf(nonWitnessUtxo), txid))
      throw new Error('The proof shows a different history.');
    const output = previous.get(bytesToHex(txid))?.outputs[index];
    if (output && witnessUtxo && !isSame(output, witnessUtxo)) throw new Error('The proof contradicts itself.');
    if (output) return output;
    // Only witness signatures commit to the amounts they spend. For others, the whole previous transaction must be included.
    if (!witnessUtxo || witness.length === 0 || !witnessKinds.includes(OutScript.decode(witnessUtxo.script).type)) {
      throw new Error('The proof does not include the outputs it spends.');
    }
    return witnessUtxo;
  });
  const [first] = spent;
  if (!first || !isSame(first, spentByMessage(challenge))) throw new Error('The proof is not for this address.');
  return spent;
}

function idOf({ version, inputs, outputs, lockTime }: PreviousTransaction): Uint8Array {
  return transactionId(RawTx.encode({ version, segwitFlag: false, inputs, outputs, lockTime }));
}

function isSame(one: Output, other: Output): boolean {
  return one.amount === other.amount && equalBytes(one.script, other.script);
}
