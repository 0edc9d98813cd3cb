import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { writeKey } from './keys.ts';

/** An account of the emulator with a public key pair. */
export interface NearTestAccount {
  accountId: string;
  /** `ed25519:` and base58. */
  publicKey: string;
  /** `ed25519:` and base58 of the secret and the public half, as wallets and near-api-js write it. */
  secretKey: string;
}

/** Returns the key of an account, the same for the same seed. */
export function testAccount(seed: string, accountId: string): NearTestAccount {
  const secret = createHash('sha256').update(`${seed}/key/${accountId}`).digest();
  const publicKey = ed25519.getPublicKey(secret);
  return {
    accountId,
    publicKey: writeKey('ed25519', publicKey),
    secretKey: `ed25519:${base58.encode(Buffer.concat([secret, publicKey]))}`,
  };
}
