import type { ProofVerdict } from '@latchkey/core/ports';
import { base58, base64 } from '@scure/base';
import { decodeText, hexText } from '../decode-text.ts';
import { verifyEd25519 } from '../ed25519.ts';
import { askOrUndefined, invalid, unknown, type WalletClaim } from '../wallet-namespace.ts';
import type { FindAccessKey } from './access-keys.ts';
import { isImplicitAccountOf } from './account-id.ts';
import { hashLegacyMessage, hashSignMessage } from './signed-bytes.ts';

export interface NearWalletsOptions {
  /** The name under which this site requests signatures. Wallets show it to the user. */
  recipient: string;
  /** Whether a wallet may have been requested to send the signature to this URL: only pages of this site may receive it. */
  allowsCallbackUrl(url: string): boolean;
  findAccessKey?: FindAccessKey | undefined;
}

const keyPrefix = 'ed25519:';

function parsePublicKey(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string' || !text.startsWith(keyPrefix)) return undefined;
  const key = text.slice(keyPrefix.length);
  return decodeText(base58, key, 32) ?? decodeText(hexText, key, 32);
}

/** Parses a signature: base64 by NEP-413. Some wallets encode signatures like keys, with their curve and in base58. */
function parseSignature(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string' || !text.startsWith(keyPrefix)) return decodeText(base64, text, 64);
  return decodeText(base58, text.slice(keyPrefix.length), 64);
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

/** Returns the hash that must have been signed, or why there is none. */
function findSignedHash({ message, details }: WalletClaim, options: NearWalletsOptions): Uint8Array | string {
  const { format = 'nep413', nonce, recipient = options.recipient, callbackUrl } = details;
  if (format === 'legacy-sha256') return hashLegacyMessage(message) ?? 'The text could be a transaction.';
  if (format !== 'nep413') return 'Unknown message format.';
  const nonceBytes = decodeText(base64, nonce, 32);
  if (!nonceBytes) return 'The nonce is not 32 bytes in base64.';
  if (recipient !== options.recipient) return 'The text was signed for another recipient.';
  if (!isOptionalText(callbackUrl)) return 'The callback URL is not a string.';
  if (callbackUrl !== undefined && !options.allowsCallbackUrl(callbackUrl)) {
    return 'The callback URL does not belong to this site.';
  }
  return hashSignMessage({ message, nonce: nonceBytes, recipient: options.recipient, callbackUrl });
}

async function verifyKey(
  { address, chain }: WalletClaim,
  publicKey: Uint8Array,
  findAccessKey: FindAccessKey | undefined,
  signal: AbortSignal | undefined,
): Promise<ProofVerdict> {
  const key = keyPrefix + base58.encode(publicKey);
  const state = await askOrUndefined(() => findAccessKey?.(address, key, chain, signal));
  if (state === undefined) return unknown('The keys of this account could not be looked up.');
  if (state === 'full-access') return { kind: 'valid', address };
  if (state === 'no-such-account' && isImplicitAccountOf(address, publicKey)) return { kind: 'valid', address };
  return invalid('The key does not have full access to this account.');
}

export async function verifyNearClaim(
  claim: WalletClaim,
  options: NearWalletsOptions,
  signal: AbortSignal | undefined,
): Promise<ProofVerdict> {
  const publicKey = parsePublicKey(claim.publicKey);
  if (!publicKey) return invalid('The public key is not `ed25519:` and 32 bytes in base58 or hexadecimal.');
  const signature = parseSignature(claim.signature);
  if (!signature) return invalid('The signature is not 64 bytes in base64, nor `ed25519:` and base58.');
  const hash = findSignedHash(claim, options);
  if (typeof hash === 'string') return invalid(hash);
  if (!verifyEd25519(signature, hash, publicKey)) return invalid('The signature is not valid.');
  return verifyKey(claim, publicKey, options.findAccessKey, signal);
}
