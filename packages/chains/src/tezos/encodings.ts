import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { createBase58check } from '@scure/base';
import { decodeText, hexText } from '../decode-text.ts';

export type TezosCurve = 'ed25519' | 'secp256k1' | 'p256';

interface Encoding {
  prefix: Uint8Array;
  length: number;
  /** Its curve; undefined for encodings of any curve or none. */
  curve?: TezosCurve;
}

const base58check = createBase58check(sha256);

function encoding(prefix: string, length: number, curve?: TezosCurve): Encoding {
  return { prefix: hexToBytes(prefix), length, ...(curve && { curve }) };
}

/** tz1, tz2, tz3, then tz4 and KT1, which no supported signature can prove. */
export const addressEncodings: readonly Encoding[] = [
  encoding('06a19f', 20, 'ed25519'),
  encoding('06a1a1', 20, 'secp256k1'),
  encoding('06a1a4', 20, 'p256'),
  encoding('06a1a6', 20),
  encoding('025a79', 20),
];

/** edpk, sppk, p2pk. */
export const publicKeyEncodings: readonly Encoding[] = [
  encoding('0d0f25d9', 32, 'ed25519'),
  encoding('03fee256', 33, 'secp256k1'),
  encoding('03b28b7f', 33, 'p256'),
];

/** edsig, spsig1, p2sig, and sig for any curve. */
export const signatureEncodings: readonly Encoding[] = [
  encoding('09f5cd8612', 64, 'ed25519'),
  encoding('0d7365133f', 64, 'secp256k1'),
  encoding('36f02c34', 64, 'p256'),
  encoding('04822b', 64),
];

export interface TezosBytes {
  bytes: Uint8Array;
  curve: TezosCurve | undefined;
}

/** Decodes text with one of these prefixes; undefined for another prefix, another length or a wrong checksum. */
export function decodeTezos(text: unknown, encodings: readonly Encoding[]): TezosBytes | undefined {
  for (const { prefix, length, curve } of encodings) {
    const bytes = decodeText(base58check, text, prefix.length + length);
    if (bytes && prefix.every((byte, place) => bytes[place] === byte)) {
      return { bytes: bytes.subarray(prefix.length), curve };
    }
  }
  return undefined;
}

/** Decodes a key as some wallets send it: the bytes of an Ed25519 key, or those of any key after its curve number. */
export function readRawKey(text: unknown): TezosBytes | undefined {
  const plain = decodeText(hexText, text, 32);
  if (plain) return { bytes: plain, curve: 'ed25519' };
  const tagged = publicKeyEncodings.map(({ length, curve }, number) => {
    const bytes = decodeText(hexText, text, 1 + length);
    return bytes?.[0] === number ? { bytes: bytes.subarray(1), curve } : undefined;
  });
  return tagged.find((found) => found !== undefined);
}

/** Decodes a signature without a prefix, which does not identify its curve. */
export function readRawSignature(text: unknown): TezosBytes | undefined {
  const bytes = decodeText(hexText, text, 64);
  return bytes && { bytes, curve: undefined };
}

/** Encodes bytes with the prefix of a curve. */
export function encodeTezos(bytes: Uint8Array, curve: TezosCurve, encodings: readonly Encoding[]): string {
  const found = encodings.find((candidate) => candidate.curve === curve);
  if (!found || found.length !== bytes.length) throw new Error('These bytes have no such encoding on Tezos.');
  return base58check.encode(concatBytes(found.prefix, bytes));
}
