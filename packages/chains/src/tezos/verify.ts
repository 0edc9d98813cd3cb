import type { ProofVerdict } from '@latchkey/core/ports';
import { readInput } from '@latchkey/kernel';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { blake2b } from '@noble/hashes/blake2.js';
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { verifyEd25519 } from '../ed25519.ts';
import { invalid, type WalletClaim } from '../wallet-namespace.ts';
import {
  addressEncodings,
  decodeTezos,
  encodeTezos,
  publicKeyEncodings,
  readRawKey,
  readRawSignature,
  signatureEncodings,
  type TezosCurve,
} from './encodings.ts';

function verifyHash(curve: TezosCurve, signature: Uint8Array, hash: Uint8Array, publicKey: Uint8Array): boolean {
  if (curve === 'ed25519') return verifyEd25519(signature, hash, publicKey);
  // The chain requires low s only on secp256k1. On P-256 it accepts both, and signers produce both.
  const isSigned = readInput(() =>
    curve === 'secp256k1'
      ? secp256k1.verify(signature, hash, publicKey, { prehash: false, lowS: true })
      : p256.verify(signature, hash, publicKey, { prehash: false, lowS: false }),
  );
  return isSigned ?? false;
}

/** Returns the address of a public key. */
export function addressOfKey(publicKey: Uint8Array, curve: TezosCurve): string {
  return encodeTezos(blake2b(publicKey, { dkLen: 20 }), curve, addressEncodings);
}

/** Returns what is wrong with a signature over a payload, or undefined. The payload must be packed text. */
export function findPayloadFault(
  payload: Uint8Array,
  { address, publicKey, signature }: Pick<WalletClaim, 'address' | 'publicKey' | 'signature'>,
): string | undefined {
  if (!isPackedText(payload)) return 'What was signed is not a packed text.';
  const key = decodeTezos(publicKey, publicKeyEncodings) ?? readRawKey(publicKey);
  if (!key?.curve) return 'The public key must be edpk, sppk or p2pk, or their bytes in hexadecimal.';
  if (addressOfKey(key.bytes, key.curve) !== address) return 'The public key belongs to another account.';
  const signed = decodeTezos(signature, signatureEncodings) ?? readRawSignature(signature);
  if (!signed || (signed.curve && signed.curve !== key.curve)) return 'The signature format does not match the key.';
  const hash = blake2b(payload, { dkLen: 32 });
  return verifyHash(key.curve, signed.bytes, hash, key.bytes) ? undefined : 'The signature is not valid.';
}

export function verifyTezosClaim(claim: WalletClaim): ProofVerdict {
  const fault = findPayloadFault(packText(claim.message), claim);
  return fault === undefined ? { kind: 'valid', address: claim.address } : invalid(fault);
}

// Packed data (5) that is a string (1). Operations start with 3, blocks with 0x11 or 0x12.
const packedString = Uint8Array.of(5, 1);
const headerBytes = packedString.length + 4;

/** Packs text as a Micheline string: the bytes that a wallet signs. */
export function packText(text: string): Uint8Array {
  const bytes = utf8ToBytes(text);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length);
  return concatBytes(packedString, length, bytes);
}

/** Returns the `payload` of a signing request of type `micheline`. */
export function toTezosPayload(text: string): string {
  return bytesToHex(packText(text));
}

/**
 * Whether these are the bytes of exactly one packed string. Anything else is refused, because a signature over an operation moves funds.
 */
export function isPackedText(payload: Uint8Array): boolean {
  if (payload.length < headerBytes || packedString.some((byte, place) => payload[place] !== byte)) return false;
  const length = new DataView(payload.buffer, payload.byteOffset).getUint32(packedString.length);
  return length === payload.length - headerBytes;
}
