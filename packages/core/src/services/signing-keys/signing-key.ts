import type { KeyObject } from 'node:crypto';
import { addDays } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';

export type SigningPurpose = 'jwt' | 'action-ecdsa' | 'action-ed25519';

/** jwt signs tokens with ES256; the two action keys sign calls to mini-apps, which accept either kind. */
export const signingPurposes: readonly SigningPurpose[] = ['jwt', 'action-ecdsa', 'action-ed25519'];

/** How long a retired key stays published, so that its signatures can be verified. */
export const retiredKeyDays = 30;

export interface PublicKey {
  /** The RFC 7638 thumbprint of the public key. */
  kid: string;
  publicKey: KeyObject;
  /** Undefined for the current key. */
  retiredAt: Date | undefined;
}

export interface SigningKey extends PublicKey {
  privateKey: KeyObject;
}

export type KeyContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'random'>;

/** Returns the context that a private half is sealed for. */
export function privateKeyPlace(kid: string): string {
  return `signing_keys.private_key:${kid}`;
}

/** Keys that were retired before this time are neither published nor stored. */
export function oldestPublished(now: Date): Date {
  return addDays(now, -retiredKeyDays);
}
