import type { ProofVerdict } from '@latchkey/core/ports';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { base58, base64 } from '@scure/base';
import { decodeText, hexText } from '../decode-text.ts';
import { verifyEd25519 } from '../ed25519.ts';
import { invalid, type WalletClaim } from '../wallet-namespace.ts';
import { parseSolanaAddress } from './address.ts';

/** Verifies a signature over bytes that must not be a transaction. */
export function verifySolanaBytes(bytes: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): string | undefined {
  if (isSolanaTransaction(bytes)) return 'What was signed is a transaction.';
  return verifyEd25519(signature, bytes, publicKey) ? undefined : 'The signature is not valid.';
}

function signedBytes({ message, details }: WalletClaim): Uint8Array | undefined {
  if (details.format === 'offchain-v0') return encodeOffchainMessage(message);
  return details.format === undefined || details.format === 'message' ? utf8ToBytes(message) : undefined;
}

/** Clients encode signatures in one of three ways. No 64-byte signature is valid text in two of them. */
function readSignature(text: unknown): Uint8Array | undefined {
  return decodeText(base58, text, 64) ?? decodeText(base64, text, 64) ?? decodeText(hexText, text, 64);
}

export function verifySolanaClaim(claim: WalletClaim, domain: string | undefined): ProofVerdict {
  const { address, message, signature, details } = claim;
  const publicKey = parseSolanaAddress(address);
  const signatureBytes = readSignature(signature);
  const bytes = signedBytes(claim);
  if (!publicKey || !signatureBytes) return invalid('The signature is not 64 bytes in base58, base64 or hexadecimal.');
  if (!bytes) return invalid('Unknown message format.');
  const nonce = typeof details.nonce === 'string' ? details.nonce : undefined;
  const fault =
    findSignInFault(message, { address, domain, nonce }) ?? verifySolanaBytes(bytes, signatureBytes, publicKey);
  return fault === undefined ? { kind: 'valid', address } : invalid(fault);
}

const opening = / wants you to sign in with your Solana account:$/;

interface SignInExpectations {
  address: string;
  domain?: string | undefined;
  nonce?: string | undefined;
}

/**
 * Returns what is wrong with a Sign In With Solana message; undefined if it is valid or another kind of text. A signature over a message
 * that names another account or site was made for a different sign-in.
 */
function findSignInFault(text: string, expected: SignInExpectations): string | undefined {
  const [first = '', second, ...rest] = text.split('\n');
  if (!opening.test(first)) return undefined;
  if (second !== expected.address) return 'The message signs in to another account.';
  const site = first.replace(opening, '').replace(/^https:\/\//, '');
  if (expected.domain !== undefined && site !== expected.domain) return 'The message signs in to another site.';
  if (expected.nonce !== undefined && !rest.includes(`Nonce: ${expected.nonce}`))
    return 'The message has a different nonce.';
  return undefined;
}

// The first byte is not a valid transaction version, so these bytes can never be a transaction.
const signingDomain = concatBytes(Uint8Array.of(0xff), utf8ToBytes('solana offchain'));
const version = 0;
// What fits into one packet beside the header; hardware wallets show no more.
const packetLimitBytes = 1212;
const limitBytes = 65515;

function formatOf(bytes: Uint8Array): number {
  if (bytes.length > packetLimitBytes) return 2;
  return bytes.every((byte) => byte >= 0x20 && byte <= 0x7e) ? 0 : 1;
}

/** Encodes text in off-chain message format 0; undefined if the format cannot represent it. */
function encodeOffchainMessage(text: string): Uint8Array | undefined {
  const bytes = utf8ToBytes(text);
  if (bytes.length === 0 || bytes.length > limitBytes) return undefined;
  const header = Uint8Array.of(version, formatOf(bytes), bytes.length & 0xff, bytes.length >> 8);
  return concatBytes(signingDomain, header, bytes);
}

/** Reads the parts of a Solana message in order. `bad` is set once something does not fit. */
class Reader {
  bad = false;
  readonly #bytes: Uint8Array;
  #place = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    const byte = this.#bytes[this.#place++];
    if (byte === undefined) this.bad = true;
    return byte ?? 0;
  }

  skip(length: number): void {
    this.#place += length;
    if (this.#place > this.#bytes.length) this.bad = true;
  }

  /** Reads the length prefix of a list: seven bits per byte, at most three bytes. */
  compactLength(): number {
    let length = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.byte();
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) return length;
    }
    this.bad = true;
    return 0;
  }
}

function skipInstructions(reader: Reader): void {
  const count = reader.compactLength();
  for (let n = 0; n < count && !reader.bad; n++) {
    reader.skip(1);
    reader.skip(reader.compactLength());
    reader.skip(reader.compactLength());
  }
}

/**
 * Returns true for bytes that a validator could execute as a transaction, of the legacy or a versioned format. A signature over them moves
 * funds, so it must never serve as a sign-in. Bytes after a complete transaction do not make it harmless.
 */
export function isSolanaTransaction(bytes: Uint8Array): boolean {
  const reader = new Reader(bytes);
  const versioned = ((bytes[0] ?? 0) & 0x80) !== 0;
  if (versioned) reader.skip(1);
  const [signers, readonlySigners, readonlyOthers] = [reader.byte(), reader.byte(), reader.byte()];
  const accounts = reader.compactLength();
  if (signers === 0 || readonlySigners >= signers || signers + readonlyOthers > accounts) return false;
  reader.skip(32 * accounts + 32);
  skipInstructions(reader);
  return !reader.bad;
}
