import type { ProofVerdict } from '@latchkey/core/ports';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { base58, base64 } from '@scure/base';
import { decodeText, hexText } from '../decode-text.ts';
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

/** Wallets answer with bytes, which clients write in one of three ways. No text of 64 bytes is one in two of them. */
function readSignature(text: unknown): Uint8Array | undefined {
  return decodeText(base58, text, 64) ?? decodeText(base64, text, 64) ?? decodeText(hexText, text, 64);
}

export function verifySolanaClaim(claim: WalletClaim, domain: string | undefined): ProofVerdict {
  const { address, message, signature, details } = claim;
  const publicKey = parseSolanaAddress(address);
  const signatureBytes = readSignature(signature);
  const bytes = signedBytes(claim);
  if (!publicKey || !signatureBytes) return invalid('The signature is not 64 bytes in base58, base64 or hexadecimal.');
  if (!bytes) return invalid('This format of message is not known.');
  const nonce = typeof details.nonce === 'string' ? details.nonce : undefined;
  const fault =
    findSignInFault(message, { address, domain, nonce }) ?? verifySolanaBytes(bytes, signatureBytes, publicKey);
  return fault === undefined ? { kind: 'valid', address } : invalid(fault);
}
