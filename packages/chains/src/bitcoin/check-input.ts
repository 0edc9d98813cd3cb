import { readInput } from '@latchkey/kernel';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { equalBytes } from '@noble/curves/utils.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { OutScript, RawTx, Script, SigHash, TaprootControlBlock, Transaction } from '@scure/btc-signer';
import { tapLeafHash } from '@scure/btc-signer/payment.js';
import { compareBytes, hash160, sha256x2, tagSchnorr, taprootTweakPubkey } from '@scure/btc-signer/utils.js';
import { type Evaluation, invalid, unknown, valid } from './evaluation.ts';
import type { Output, Spending, ToSign } from './to-sign.ts';

const strayScript = invalid('The signature contains a script that the address does not use.');
const strayWitness = invalid('The signature contains a witness that the address does not use.');
const otherScript = invalid('The script in the signature is not the script of this address.');

/** Verifies that one input may spend its output, as a Bitcoin node does under the rules of BIP-322. */
export function checkInput(toSign: ToSign, spent: readonly Output[], index: number): Evaluation {
  const input = toSign.inputs[index];
  const output = spent[index];
  if (!input || !output) return invalid('The signature references an output that it does not include.');
  const spending = { toSign, index, input, spent, amount: output.amount };
  const lock = OutScript.decode(output.script);
  switch (lock.type) {
    case 'pkh':
      return checkLegacy(spending, output.script, pushesOf(input.scriptSig));
    case 'sh':
      return checkScriptHash(spending, lock.hash);
    case 'wpkh':
    case 'wsh':
      return input.scriptSig.length > 0 ? strayScript : checkWitness(spending, lock);
    case 'tr':
      return input.scriptSig.length > 0 ? strayScript : checkTaproot(spending, lock.pubkey);
    default:
      return unknown('The signature spends an output of a kind that this server does not know.');
  }
}

function checkLegacy(spending: Spending, script: Uint8Array, stack: Uint8Array[] | undefined): Evaluation {
  const { toSign, index, input } = spending;
  if (input.witness.length > 0) return strayWitness;
  if (!stack) return strayScript;
  const sighash = legacySighash(toSign, index, script);
  return checkStack(script, stack, {
    check: (signature, key) => checkEcdsa(signature, key, sighash),
    compressedKeysOnly: false,
  });
}

function checkScriptHash(spending: Spending, hash: Uint8Array): Evaluation {
  const stack = pushesOf(spending.input.scriptSig);
  const redeemScript = stack?.pop();
  if (!stack || !redeemScript) return strayScript;
  if (!equalBytes(hash160(redeemScript), hash)) return otherScript;
  const lock = OutScript.decode(redeemScript);
  if (lock.type !== 'wpkh' && lock.type !== 'wsh') return checkLegacy(spending, redeemScript, stack);
  return stack.length > 0 ? strayScript : checkWitness(spending, lock);
}

function checkWitness(spending: Spending, lock: { type: 'wpkh' | 'wsh'; hash: Uint8Array }): Evaluation {
  const stack = [...spending.input.witness];
  const script = lock.type === 'wpkh' ? OutScript.encode({ type: 'pkh', hash: lock.hash }) : stack.pop();
  if (!script || (lock.type === 'wsh' && !equalBytes(sha256(script), lock.hash))) return otherScript;
  const sighash = witnessSighash(spending.toSign, spending.index, script, spending.amount);
  return checkStack(script, stack, {
    check: (signature, key) => checkEcdsa(signature, key, sighash),
    compressedKeysOnly: true,
  });
}

/** Returns what a push-only script puts on the stack; undefined for other scripts and for non-minimal pushes. */
function pushesOf(script: Uint8Array): Uint8Array[] | undefined {
  const parts = Script.decode(script);
  if (!equalBytes(Script.encode(parts), script)) return undefined;
  const pushes: Uint8Array[] = [];
  for (const part of parts) {
    if (part === 0) pushes.push(new Uint8Array());
    else if (part instanceof Uint8Array) pushes.push(part);
    else return undefined;
  }
  return pushes;
}

const annexTag = 0x50;

/** Verifies a Taproot key-path input. A script path is recognized, but only a node could run its script. */
function checkTaproot({ toSign, index, input, spent }: Spending, outputKey: Uint8Array): Evaluation {
  const [first] = input.witness;
  if (!first) return invalid('The signature has no witness.');
  if (input.witness.length === 1) {
    return checkSchnorr(first, outputKey, (hashType) => taprootSighash(toSign, index, spent, hashType))
      ? valid
      : invalid('The signature does not match this address and message.');
  }
  const [script, control] = input.witness.slice(-2);
  if (control?.[0] === annexTag) return unknown('The signature has an annex, which is not supported.');
  if (!script || !control || !isCommitted(script, control, outputKey)) {
    return invalid('The script in the signature is not a script of this address.');
  }
  return unknown('The signature takes a Taproot script path; sign with the key of the address instead.');
}

/** Checks that the output key commits to this script (BIP-341). */
function isCommitted(script: Uint8Array, control: Uint8Array, outputKey: Uint8Array): boolean {
  const { version, internalKey, merklePath } = TaprootControlBlock.decode(control);
  const root = merklePath.reduce<Uint8Array>(
    (node, sibling) => tagSchnorr('TapBranch', ...[node, sibling].sort(compareBytes)),
    tapLeafHash(script, version & 0xfe),
  );
  const [key, parity] = taprootTweakPubkey(internalKey, root);
  return equalBytes(key, outputKey) && parity === (version & 1);
}

const sighashAll = 1;

/** Verifies an ECDSA signature as Bitcoin's script does under the rules of BIP-322: strict DER, low s, and a final byte of SIGHASH_ALL. */
function checkEcdsa(signature: Uint8Array, publicKey: Uint8Array, sighash: Uint8Array): boolean {
  if (signature.at(-1) !== sighashAll) return false;
  return verifyDer(signature.subarray(0, -1), publicKey, sighash);
}

/** Verifies a strictly DER-encoded, low-s signature over a hash. Returns false for malformed input. */
export function verifyDer(signature: Uint8Array, publicKey: Uint8Array, hash: Uint8Array): boolean {
  const options = { prehash: false, lowS: true, format: 'der' } as const;
  return readInput(() => secp256k1.verify(signature, hash, publicKey, options)) ?? false;
}

/** Verifies a Taproot signature: 64 bytes imply SIGHASH_DEFAULT, and a 65th byte may only be SIGHASH_ALL. */
function checkSchnorr(signature: Uint8Array, publicKey: Uint8Array, sighash: (hashType: 0 | 1) => Uint8Array): boolean {
  const saysAll = signature.length === 65 && signature[64] === sighashAll;
  if (signature.length !== 64 && !saysAll) return false;
  const hash = sighash(saysAll ? 1 : 0);
  return readInput(() => schnorr.verify(signature.subarray(0, 64), hash, publicKey)) ?? false;
}

const noBytes = new Uint8Array();
const sighashAllSuffix = Uint8Array.of(1, 0, 0, 0);

/** Returns the hash that a non-witness signature signs, with SIGHASH_ALL. */
function legacySighash(toSign: ToSign, index: number, scriptCode: Uint8Array): Uint8Array {
  const { version, lockTime, outputs } = toSign;
  const inputs = toSign.inputs.map((input, place) => ({
    txid: input.txid,
    index: input.index,
    sequence: input.sequence,
    finalScriptSig: place === index ? scriptCode : noBytes,
  }));
  return sha256x2(RawTx.encode({ version, segwitFlag: false, inputs, outputs, lockTime }), sighashAllSuffix);
}

/** Returns the hash that a version 0 witness signature signs (BIP-143), with SIGHASH_ALL. */
export function witnessSighash(toSign: ToSign, index: number, scriptCode: Uint8Array, amount: bigint): Uint8Array {
  return asTransaction(toSign).preimageWitnessV0(index, scriptCode, SigHash.ALL, amount);
}

/** Returns the hash that a Taproot key signs (BIP-341). `hashType` is 0 (DEFAULT) or 1 (ALL). */
function taprootSighash(toSign: ToSign, index: number, spent: readonly Output[], hashType: 0 | 1): Uint8Array {
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

interface StackRules {
  check(signature: Uint8Array, publicKey: Uint8Array): boolean;
  /** Witness scripts accept only compressed keys. */
  compressedKeysOnly: boolean;
}

const wrongSignature = invalid('The signature does not match this address and message.');

/** Verifies that the stack satisfies a script that requires only signatures. */
function checkStack(script: Uint8Array, stack: readonly Uint8Array[], rules: StackRules): Evaluation {
  const request = OutScript.decode(script);
  switch (request.type) {
    case 'pk':
      return checkKeys(stack, 1, [request.pubkey], rules);
    case 'pkh': {
      const [signature, publicKey] = stack;
      if (stack.length !== 2 || !signature || !publicKey) return wrongSignature;
      if (!equalBytes(hash160(publicKey), request.hash)) return invalid('The key is not the key of this address.');
      return checkKeys([signature], 1, [publicKey], rules);
    }
    case 'ms': {
      const [dummy, ...signatures] = stack;
      if (dummy?.length !== 0) return wrongSignature;
      return checkKeys(signatures, request.m, request.pubkeys, rules);
    }
    default:
      return unknown('The address is locked by a script that this server cannot run; use an address with a plain key.');
  }
}

/** Signatures must be in the order of their keys, as CHECKMULTISIG requires. Each key can match once. */
function checkKeys(
  signatures: readonly Uint8Array[],
  needed: number,
  publicKeys: readonly Uint8Array[],
  rules: StackRules,
): Evaluation {
  if (signatures.length !== needed) return wrongSignature;
  if (rules.compressedKeysOnly && publicKeys.some((key) => key.length !== 33)) return wrongSignature;
  let place = 0;
  for (const signature of signatures) {
    const found = publicKeys.findIndex((key, index) => index >= place && rules.check(signature, key));
    if (found < 0) return wrongSignature;
    place = found + 1;
  }
  return valid;
}
