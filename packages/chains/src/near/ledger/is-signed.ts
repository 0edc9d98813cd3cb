import { base58 } from '@scure/base';
import { verifyEd25519 } from '../../ed25519.ts';

/** A public key of NEAR on the curve that wallets use; undefined for what is none. */
export function readPublicKey(text: string): Uint8Array | undefined {
  const [, encoded] = /^ed25519:([1-9A-HJ-NP-Za-km-z]{32,44})$/.exec(text) ?? [];
  if (encoded === undefined) return undefined;
  const bytes = base58.decode(encoded);
  return bytes.length === 32 ? bytes : undefined;
}

export function isEd25519Signed(publicKey: string, message: Uint8Array, signature: Uint8Array): boolean {
  const key = readPublicKey(publicKey);
  return key !== undefined && verifyEd25519(signature, message, key);
}
