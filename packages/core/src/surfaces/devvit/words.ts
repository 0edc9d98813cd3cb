import { createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { Keyring } from '@latchkey/db';
import type { Random } from '@latchkey/kernel';

/** What an app is paired with. The whole code is a secret. */
export interface Pairing {
  secret: string;
  /** A private key in PKCS #8. */
  signingKey: Buffer;
}

const version = 'lkdv1';
// RFC 8410: a PKCS #8 Ed25519 key is these bytes followed by the 32-byte seed.
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

export function createPairing(random: Random): Pairing {
  return { secret: random.id(43), signingKey: Buffer.concat([ed25519Prefix, random.bytes(32)]) };
}

/**
 * What an admin pastes into the settings of the app: where this server is, what the app proves its calls with, and the
 * one key whose words it accepts.
 */
export function pairingCode({ secret, signingKey }: Pairing, url: string, communityId: string): string {
  const key = publicKeyOf(signingKey).toString('base64url');
  return `${version}.${Buffer.from(JSON.stringify({ url, communityId, secret, key })).toString('base64url')}`;
}

function publicKeyOf(signingKey: Buffer): Buffer {
  const publicKey = createPublicKey(createPrivateKey({ key: signingKey, format: 'der', type: 'pkcs8' }));
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
}

// Prefixes keep one kind of text from being used as the other.

export function proofOf(secret: string, message: string): string {
  return createHmac('sha256', secret).update(`latchkey-devvit-call\n${message}`).digest('base64url');
}

export function signWord(signingKey: Buffer, message: string): string {
  const key = createPrivateKey({ key: signingKey, format: 'der', type: 'pkcs8' });
  return sign(null, Buffer.from(`latchkey-devvit-word\n${message}`), key).toString('base64url');
}

export const secretPlace = (communityId: string): string => `devvit_apps.secret:${communityId}`;
export const signingKeyPlace = (communityId: string): string => `devvit_apps.signing_key:${communityId}`;

export function openPairing(
  keyring: Pick<Keyring, 'open' | 'openText'>,
  row: { community_id: string; secret: string; signing_key: string },
): Pairing {
  return {
    secret: keyring.openText(secretPlace(row.community_id), row.secret),
    signingKey: keyring.open(signingKeyPlace(row.community_id), row.signing_key),
  };
}
