import { readInput } from '@latchkey/kernel';
import { ed25519 } from '@noble/curves/ed25519.js';

/** An interaction as Discord posted it. */
export interface SignedInteraction {
  /** The X-Signature-Ed25519 header. */
  signature: string | undefined;
  /** The X-Signature-Timestamp header, in seconds since 1970. */
  timestamp: string | undefined;
  rawBody: Uint8Array;
}

// Discord requires a response within three seconds; the rest is for clock drift.
export const interactionWindowSeconds = 5 * 60;

/**
 * Returns true if Discord signed exactly these bytes, recently. Discord sends wrong signatures on purpose and disables the URL of apps that
 * accept one. Within the window a replay still passes: code that acts on an interaction must store its id.
 */
export function verifyInteraction(
  publicKey: string,
  { signature, timestamp, rawBody }: SignedInteraction,
  now: Date,
): boolean {
  if (!/^[0-9a-f]{128}$/i.test(signature ?? '') || !/^\d{1,12}$/.test(timestamp ?? '')) return false;
  if (!/^[0-9a-f]{64}$/i.test(publicKey))
    throw new Error('The Discord application’s public key must be 64 hex digits.');
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > interactionWindowSeconds) return false;
  const signed = Buffer.concat([Buffer.from(timestamp ?? ''), rawBody]);
  const [signatureBytes, key] = [Buffer.from(signature ?? '', 'hex'), Buffer.from(publicKey, 'hex')];
  // Strict verification: under the lenient rules of ZIP 215, one signature has several encodings.
  return readInput(() => ed25519.verify(signatureBytes, signed, key, { zip215: false })) ?? false;
}
