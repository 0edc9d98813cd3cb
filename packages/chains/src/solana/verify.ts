import type { ProofVerdict } from '@latchkey/core/ports';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';
import { decodeText } from '../decode-text.ts';
import { verifyEd25519 } from '../ed25519.ts';
import { invalid, type WalletClaim } from '../wallet-namespace.ts';
import { parseSolanaAddress } from './address.ts';
import { encodeOffchainMessage } from './offchain-message.ts';
import { findSignInFault } from './sign-in-text.ts';
import { isSolanaTransaction } from './transaction-bytes.ts';

/** Judges a signature over bytes that must not be a transaction. */
export function verifySolanaBytes(bytes: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): string | undefined {
  if (isSolanaTransaction(bytes)) return 'What was signed is a transaction.';
  return verifyEd25519(signature, bytes, publicKey) ? undefined : 'The signature does not fit.';
}

function signedBytes({ message, details }: WalletClaim): Uint8Array | undefined {
  if (details.format === 'offchain-v0') return encodeOffchainMessage(message);
  return details.format === undefined || details.format === 'message' ? utf8ToBytes(message) : undefined;
}

export function verifySolanaClaim(claim: WalletClaim, domain: string | undefined): ProofVerdict {
  const { address, message, signature, details } = claim;
  const publicKey = parseSolanaAddress(address);
  const signatureBytes = decodeText(base58, signature, 64);
  const bytes = signedBytes(claim);
  if (!publicKey || !signatureBytes) return invalid('The signature is not 64 bytes in base58.');
  if (!bytes) return invalid('This format of message is not known.');
  const nonce = typeof details.nonce === 'string' ? details.nonce : undefined;
  const fault =
    findSignInFault(message, { address, domain, nonce }) ?? verifySolanaBytes(bytes, signatureBytes, publicKey);
  return fault === undefined ? { kind: 'valid', address } : invalid(fault);
}
