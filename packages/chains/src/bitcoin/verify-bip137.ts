import { readInput } from '@latchkey/kernel';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { equalBytes } from '@noble/curves/utils.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { OutScript } from '@scure/btc-signer';
import { CompactSizeLen } from '@scure/btc-signer/script.js';
import { hash160, sha256x2 } from '@scure/btc-signer/utils.js';
import type { BitcoinAddress } from './address.ts';
import { type Evaluation, invalid, valid } from './evaluation.ts';

// The first byte gives the address type and which of up to four recoverable keys signed (BIP-137).
const headers = [
  { from: 27, kind: 'pkh', compressed: false },
  { from: 31, kind: 'pkh', compressed: true },
  { from: 35, kind: 'sh', compressed: true },
  { from: 39, kind: 'wpkh', compressed: true },
] as const;

export interface Bip137Options {
  /** Accepts the header of a compressed legacy key for any address type of that key, as Electrum and others write it. */
  lenientHeader?: boolean;
}

/**
 * Verifies a 65-byte signature by recovering its key. Refuses Taproot addresses: their key is tweaked, and treating the recovered key as
 * the internal key would accept keys that cannot spend.
 */
export function verifyBip137(
  address: BitcoinAddress,
  message: string,
  signature: Uint8Array,
  { lenientHeader = false }: Bip137Options,
): Evaluation {
  if (address.kind === 'tr') return invalid('Taproot addresses can only sign with BIP-322.');
  const header = signature[0] ?? 0;
  const named = headers.find(({ from }) => header >= from && header < from + 4);
  if (!named) return invalid('The first byte of the signature is not a known address type.');
  const isNamed = named.kind === address.kind || (lenientHeader && named.kind === 'pkh' && named.compressed);
  if (!isNamed) return invalid('The first byte of the signature is for a different address type.');
  const publicKey = recoverKey(signature, header - named.from, message, named.compressed);
  if (!publicKey || !equalBytes(scriptOfKey(publicKey, address.kind), address.script)) {
    return invalid('The signature does not match this address and message.');
  }
  return valid;
}

function recoverKey(
  signature: Uint8Array,
  recovery: number,
  message: string,
  compressed: boolean,
): Uint8Array | undefined {
  const hash = legacyHash(message);
  // The library throws when r or s is out of range, or r is not the x coordinate of a point.
  return readInput(() => {
    const parsed = secp256k1.Signature.fromBytes(signature.subarray(1), 'compact').addRecoveryBit(recovery);
    return parsed.recoverPublicKey(hash).toBytes(compressed);
  });
}

/** Returns the hash that wallets signed before there was a BIP for it: the prefixed text, hashed twice. */
export function legacyHash(message: string): Uint8Array {
  const bytes = utf8ToBytes(message);
  const prefix = utf8ToBytes('\x18Bitcoin Signed Message:\n');
  return sha256x2(concatBytes(prefix, CompactSizeLen.encode(bytes.length), bytes));
}

function scriptOfKey(publicKey: Uint8Array, kind: BitcoinAddress['kind']): Uint8Array {
  const hash = hash160(publicKey);
  switch (kind) {
    case 'pkh':
      return OutScript.encode({ type: 'pkh', hash });
    case 'wpkh':
      return OutScript.encode({ type: 'wpkh', hash });
    case 'sh':
      return OutScript.encode({ type: 'sh', hash: hash160(OutScript.encode({ type: 'wpkh', hash })) });
    default:
      return new Uint8Array();
  }
}
