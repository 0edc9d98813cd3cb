import { fieldOf } from '@latchkey/adapter-kit';
import type { ProofVerdict } from '@latchkey/core/ports';
import type { Clock } from '@latchkey/kernel';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { base64 } from '@scure/base';
import { decodeText } from '../decode-text.ts';
import { verifyEd25519 } from '../ed25519.ts';
import { askOrUndefined, invalid, unknown, type WalletClaim } from '../wallet-namespace.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import { splitTonAddress, type TonAccount } from './address.ts';
import type { FindPublicKey } from './public-keys.ts';

export interface TonWalletsOptions {
  /** The domain of this site, which is part of what a wallet signs. */
  domain: string;
  clock: Clock;
  /** The maximum age of a proof. */
  maxAgeSeconds?: number;
  /** How far the clock of a wallet may be ahead. */
  maxSkewSeconds?: number;
  findPublicKey?: FindPublicKey | undefined;
}

/** Wallets send the time of signing as a number, or as a string of digits. */
function readTimestamp(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && Number.isSafeInteger(seconds) && seconds > 0 ? seconds : undefined;
}

function isOwnDomain(sent: unknown, domain: string): boolean {
  const length = fieldOf(sent, 'lengthBytes') ?? fieldOf(sent, 'length_bytes');
  return fieldOf(sent, 'value') === domain && length === utf8ToBytes(domain).length;
}

type FoundKey = { publicKey: Uint8Array } | { verdict: ProofVerdict };

async function findKey(claim: WalletClaim, options: TonWalletsOptions, signal?: AbortSignal): Promise<FoundKey> {
  const { address, chain, details } = claim;
  if (details.stateInit !== undefined) {
    const { findStateInitKey } = await import('./state-init.ts');
    const found = findStateInitKey(details.stateInit, splitTonAddress(address).hash);
    if (found.kind === 'key') return found;
    if (found.kind === 'foreign') return { verdict: invalid('The StateInit does not match this address.') };
  }
  const answer = await askOrUndefined(() => options.findPublicKey?.(address, chain, signal));
  if (answer === undefined) return { verdict: unknown('The key of this contract could not be looked up.') };
  return answer.kind === 'key' ? answer : { verdict: invalid('This contract has no public key.') };
}

export async function verifyTonClaim(
  claim: WalletClaim,
  options: TonWalletsOptions,
  signal: AbortSignal | undefined,
): Promise<ProofVerdict> {
  const { address, message, details } = claim;
  const { domain, clock, maxAgeSeconds = 15 * 60, maxSkewSeconds = 60 } = options;
  const signature = decodeText(base64, claim.signature, 64);
  if (!signature) return invalid('The signature is not 64 bytes in base64.');
  if (!isOwnDomain(details.domain, domain)) return invalid('The proof was created for another site.');
  const timestampSeconds = readTimestamp(details.timestamp);
  if (timestampSeconds === undefined) return invalid('The time of signing is missing.');
  const ageSeconds = clock().getTime() / 1000 - timestampSeconds;
  if (ageSeconds > maxAgeSeconds) return invalid('The proof is too old.');
  if (ageSeconds < -maxSkewSeconds) return invalid('The proof is from the future.');
  const found = await findKey(claim, options, signal);
  if ('verdict' in found) return found.verdict;
  await yieldToEventLoop();
  if (claim.publicKey !== undefined && claim.publicKey.toLowerCase() !== bytesToHex(found.publicKey)) {
    return invalid('The public key does not match this address.');
  }
  const hash = hashTonProof({ account: splitTonAddress(address), domain, timestampSeconds, payload: message });
  return verifyEd25519(signature, hash, found.publicKey)
    ? { kind: 'valid', address }
    : invalid('The signature is not valid.');
}

// The first two bytes prevent the signed bytes from being the hash of a message to a wallet contract.
const signingPrefix = concatBytes(Uint8Array.of(0xff, 0xff), utf8ToBytes('ton-connect'));
const itemPrefix = utf8ToBytes('ton-proof-item-v2/');

interface TonProof {
  account: TonAccount;
  domain: string;
  timestampSeconds: number;
  payload: string;
}

/** Returns the hash that a wallet signs for TON Connect's `ton_proof`. */
export function hashTonProof({ account, domain, timestampSeconds, payload }: TonProof): Uint8Array {
  const domainBytes = utf8ToBytes(domain);
  const [workchain, domainLength, timestamp] = [new Uint8Array(4), new Uint8Array(4), new Uint8Array(8)];
  new DataView(workchain.buffer).setInt32(0, account.workchain);
  new DataView(domainLength.buffer).setUint32(0, domainBytes.length, true);
  new DataView(timestamp.buffer).setBigUint64(0, BigInt(timestampSeconds), true);
  const payloadBytes = utf8ToBytes(payload);
  const item = concatBytes(itemPrefix, workchain, account.hash, domainLength, domainBytes, timestamp, payloadBytes);
  return sha256(concatBytes(signingPrefix, sha256(item)));
}
