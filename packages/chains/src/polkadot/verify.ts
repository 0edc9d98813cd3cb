import type { ProofVerdict } from '@latchkey/core/ports';
import { readInput } from '@latchkey/kernel';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { equalBytes } from '@noble/curves/utils.js';
import { blake2b } from '@noble/hashes/blake2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { verify as verifySr25519 } from '@scure/sr25519';
import { verifyEd25519 } from '../ed25519.ts';
import { invalid, type WalletClaim } from '../wallet-namespace.ts';
import type { Account } from './account.ts';

function signedForms(message: string, { allowUnwrapped = false }: { allowUnwrapped?: boolean }): Uint8Array[] {
  const wrapped = utf8ToBytes(`<Bytes>${message}</Bytes>`);
  return allowUnwrapped ? [wrapped, utf8ToBytes(message)] : [wrapped];
}

export function verifyPolkadotClaim(
  claim: WalletClaim,
  account: Account,
  options: { allowUnwrapped?: boolean },
): ProofVerdict {
  const forms = signedForms(claim.message, options);
  const bytes = decodeSignature(claim.signature);
  if (!bytes) return invalid('The signature is not 0x and the digits of 64 to 66 bytes.');
  const declared = claim.details.cryptoType;
  if (declared !== undefined && !cryptoTypes.some((known) => known === declared)) {
    return invalid(`Supported key types: ${cryptoTypes.join(', ')}.`);
  }
  const readings = readSignature(bytes, account.kind).filter(
    ({ cryptoType }) => declared === undefined || cryptoType === declared || isEthereumKey(cryptoType, declared),
  );
  const isValid = readings.some((reading) => forms.some((form) => checkSignature(reading, form, account.bytes)));
  if (!isValid) return invalid('The signature does not match this account and message.');
  return { kind: 'valid', address: account.text };
}

/** An Ethereum key is an ECDSA key too, and some wallets declare it only as that. */
function isEthereumKey(cryptoType: string, declared: unknown): boolean {
  return cryptoType === 'ethereum' && declared === 'ecdsa';
}

function decodeSignature(signature: unknown): Uint8Array | undefined {
  if (typeof signature !== 'string' || !/^0x(?:[0-9a-fA-F]{2}){64,66}$/.test(signature)) return undefined;
  return hexToBytes(signature.slice(2));
}

const cryptoTypes = ['ed25519', 'sr25519', 'ecdsa', 'ethereum'] as const;
type CryptoType = (typeof cryptoTypes)[number];

/** One way to decode a wallet's signature. */
interface Reading {
  cryptoType: CryptoType;
  signature: Uint8Array;
}

const plainLength = 64;
const recoverableLength = 65;
// The first byte of a MultiSignature, when a wallet writes it.
const multiSignatureTypes: readonly CryptoType[] = ['ed25519', 'sr25519', 'ecdsa'];

/** Returns all ways to decode a signature for an account type, with and without the leading byte of a MultiSignature. */
function readSignature(bytes: Uint8Array, kind: Account['kind']): Reading[] {
  const named = multiSignatureTypes[bytes[0] ?? -1];
  const readings = [
    ...plainReadings(bytes),
    ...plainReadings(bytes.subarray(1)).filter((reading) => reading.cryptoType === named),
  ];
  if (kind === 'ss58') return readings;
  return readings
    .filter((reading) => reading.cryptoType === 'ecdsa')
    .map(({ signature }) => ({ cryptoType: 'ethereum', signature }));
}

function plainReadings(signature: Uint8Array): Reading[] {
  if (signature.length === recoverableLength) return [{ cryptoType: 'ecdsa', signature }];
  if (signature.length !== plainLength) return [];
  return [
    { cryptoType: 'sr25519', signature },
    { cryptoType: 'ed25519', signature },
  ];
}

function checkSignature({ cryptoType, signature }: Reading, message: Uint8Array, account: Uint8Array): boolean {
  switch (cryptoType) {
    case 'sr25519':
      return checkSr25519(signature, message, account);
    case 'ed25519':
      return verifyEd25519(signature, message, account);
    case 'ecdsa': {
      const key = recoverKey(signature, blake2b(message, { dkLen: 32 }))?.toBytes(true);
      return key !== undefined && equalBytes(blake2b(key, { dkLen: 32 }), account);
    }
    case 'ethereum': {
      const key = recoverKey(signature, keccak_256(message))?.toBytes(false);
      return key !== undefined && equalBytes(keccak_256(key.subarray(1)).subarray(-20), account);
    }
  }
}

function checkSr25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  // The library throws if the scheme marker is missing, the scalar is out of range, or a point is invalid.
  return readInput(() => verifySr25519(message, signature, publicKey)) ?? false;
}

/** Substrate has no rule against high s, so each signature has a second form, and signature bytes must not serve as an identifier. */
function recoverKey(signature: Uint8Array, hash: Uint8Array) {
  const last = signature[64] ?? 0;
  const recovery = last >= 27 ? last - 27 : last;
  if (recovery > 1) return undefined;
  // The library throws when r or s is out of range, or r is not the x coordinate of a point.
  return readInput(() => {
    const parsed = secp256k1.Signature.fromBytes(signature.subarray(0, 64), 'compact');
    return parsed.addRecoveryBit(recovery).recoverPublicKey(hash);
  });
}
