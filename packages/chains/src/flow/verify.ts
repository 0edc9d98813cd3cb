import type { ProofVerdict } from '@latchkey/core/ports';
import { readInput } from '@latchkey/kernel';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { sha3_256 } from '@noble/hashes/sha3.js';
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Hex } from 'viem';
import { fromRlp, size, stringToHex, toRlp } from 'viem/utils';
import { invalid, unknown, type WalletClaim } from '../wallet-namespace.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import type { AccountKey, Curve, FindAccountKeys, HashName } from './account-keys.ts';
import { normalizeAddress } from './address.ts';

export interface FlowOptions {
  findAccountKeys: FindAccountKeys;
}

// A key weighs up to 1000, and only keys that weigh 1000 together can act for an account.
const neededWeight = 1000;

export async function verifyFlowClaim(
  claim: WalletClaim,
  { findAccountKeys }: FlowOptions,
  signal: AbortSignal | undefined,
): Promise<ProofVerdict> {
  const read = readClaim(claim);
  if (typeof read === 'string') return invalid(read);
  let keys: AccountKey[] | undefined;
  try {
    keys = await findAccountKeys(claim.address, claim.chain, signal);
  } catch {
    return unknown('The keys of this account could not be read from the chain; try again.');
  }
  if (!keys) return invalid('Account not found on this chain.');
  return verify(claim.address, read, keys);
}

interface ReadClaim {
  bytes: Uint8Array;
  signatures: CompositeSignature[];
}

/** Checks everything that needs no chain access. Returns a string that says what is wrong. */
function readClaim({ chain, address, message, signature, details }: WalletClaim): ReadClaim | string {
  const { scheme: declared = 'user-signature' } = details;
  const scheme = schemes.find((known) => known === declared);
  if (!scheme) return `Supported signatures: ${schemes.join(' and ')}.`;
  const bytes = signedBytes(scheme, message, address);
  if (!bytes) return 'The message is not an account proof for this address.';
  const signatures = readSignatures(signature);
  if (!signatures) return 'The signature is not a list of composite signatures.';
  if (signatures.some(({ addr }) => normalizeAddress(addr, chain) !== address)) {
    return 'A signature is from another account.';
  }
  if (new Set(signatures.map(({ keyId }) => keyId)).size !== signatures.length) return 'A key signed twice.';
  return { bytes, signatures };
}

async function verify(
  address: string,
  { bytes, signatures }: ReadClaim,
  keys: readonly AccountKey[],
): Promise<ProofVerdict> {
  let weight = 0;
  for (const { keyId, signature } of signatures) {
    await yieldToEventLoop();
    const key = keys.find((candidate) => candidate.index === keyId);
    if (!key || key.revoked) return invalid(`The account has no active key ${keyId}.`);
    if (!checkKeySignature(key, signature, bytes)) return invalid(`Key ${keyId} did not sign this message.`);
    weight += key.weight;
  }
  if (weight < neededWeight) {
    return invalid(`The signing keys have a weight of ${weight}; the account needs ${neededWeight}.`);
  }
  return { kind: 'valid', address };
}

/** One signature of a list. The keys of an account sign separately, and their weights add up. */
interface CompositeSignature {
  addr: string;
  keyId: number;
  signature: Uint8Array;
}

const maxSignatures = 20;

/** Parses the list that a wallet returned; undefined if any part of it is malformed. */
export function readSignatures(value: unknown): CompositeSignature[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxSignatures) return undefined;
  const signatures = value.map(readSignature);
  return signatures.every((signature) => signature !== undefined) ? signatures : undefined;
}

function readSignature(value: unknown): CompositeSignature | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { f_type: type = 'CompositeSignature', addr, keyId, signature }: Record<string, unknown> = { ...value };
  const index = readIndex(keyId);
  if (type !== 'CompositeSignature' || typeof addr !== 'string' || index === undefined) return undefined;
  if (typeof signature !== 'string' || !/^[0-9a-fA-F]{128}$/.test(signature)) return undefined;
  return { addr, keyId: index, signature: hexToBytes(signature) };
}

/** Some wallets write the key index as text. */
function readIndex(value: unknown): number | undefined {
  if (typeof value === 'string' && /^(?:0|[1-9]\d{0,8})$/.test(value)) return Number(value);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

const curves = { p256, secp256k1 };
const hashes: Record<HashName, (bytes: Uint8Array) => Uint8Array> = { 'sha2-256': sha256, 'sha3-256': sha3_256 };
const uncompressedMark = Uint8Array.of(0x04);

/** Verifies the signature of one key over bytes, with the key's curve and hash. */
export function checkKeySignature(key: AccountKey, signature: Uint8Array, bytes: Uint8Array): boolean {
  if (!key.curve || !key.hash || !/^[0-9a-fA-F]{128}$/.test(key.publicKey)) return false;
  return verifyCompact(key.curve, signature, hexToBytes(key.publicKey), hashes[key.hash](bytes));
}

/**
 * Verifies r and s of 32 bytes each over a hash; the key is its two coordinates. Flow has no rule against high s, so each signature has a
 * second form, and signature bytes must not serve as an identifier. Returns false for malformed input.
 */
export function verifyCompact(curve: Curve, signature: Uint8Array, publicKey: Uint8Array, hash: Uint8Array): boolean {
  if (signature.length !== 64 || publicKey.length !== 64) return false;
  const point = concatBytes(uncompressedMark, publicKey);
  const options = { prehash: false, lowS: false, format: 'compact' } as const;
  // The library throws when a number is out of range, or the key is not a point of the curve.
  return readInput(() => curves[curve].verify(signature, hash, point, options)) ?? false;
}

const schemes = ['user-signature', 'account-proof'] as const;
type Scheme = (typeof schemes)[number];

const tagLength = 32;
const minNonceLength = 32;

// The tag before the bytes says what they are: transactions are signed with another tag, so a signed message can never be sent as one.
const tags: Record<Scheme, Uint8Array> = {
  'user-signature': tag('FLOW-V0.0-user'),
  'account-proof': tag('FCL-ACCOUNT-PROOF-V0.0'),
};

export interface AccountProof {
  appIdentifier: string;
  /** `0x` and 16 hexadecimal digits. */
  address: string;
  /** At least 64 hexadecimal digits. */
  nonce: string;
}

/** Returns an account proof as the message of a challenge: what the wallet signs, in hexadecimal. */
export function writeAccountProof({ appIdentifier, address, nonce }: AccountProof): string {
  const parts: Hex[] = [stringToHex(appIdentifier), address as Hex, `0x${nonce}`];
  if (!parts.every(isOfProofLength)) throw new Error('Each part of an account proof must have 2 to 255 bytes.');
  return toRlp(parts).slice(2);
}

/** Returns the bytes that a wallet signs for a message; undefined if the message is not an account proof for this address. */
function signedBytes(scheme: Scheme, message: string, address: string): Uint8Array | undefined {
  if (scheme === 'user-signature') return taggedBytes(scheme, utf8ToBytes(message));
  if (!/^(?:[0-9a-f]{2})+$/.test(message)) return undefined;
  return isProofFor(address, `0x${message}`) ? taggedBytes(scheme, hexToBytes(message)) : undefined;
}

export function taggedBytes(scheme: Scheme, bytes: Uint8Array): Uint8Array {
  return concatBytes(tags[scheme], bytes);
}

function isProofFor(address: string, message: Hex): boolean {
  const parts = readInput(() => fromRlp(message, 'hex'));
  if (!Array.isArray(parts) || !parts.every((part): part is Hex => typeof part === 'string')) return false;
  const [, account, nonce = '0x', ...rest] = parts;
  if (rest.length > 0 || account !== address || size(nonce) < minNonceLength) return false;
  // The library also accepts non-canonical encodings and trailing bytes.
  return parts.every(isOfProofLength) && toRlp(parts) === message;
}

function isOfProofLength(part: Hex): boolean {
  return size(part) >= 2 && size(part) <= 255;
}

function tag(name: string): Uint8Array {
  const padded = new Uint8Array(tagLength);
  padded.set(utf8ToBytes(name));
  return padded;
}
