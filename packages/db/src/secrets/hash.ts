import { createHash, hash, timingSafeEqual } from 'node:crypto';
import type { Keyring } from './keyring.ts';

/** SHA-256 of a secret, as hex. Only for secrets with 128 bits of randomness or more: passwords need a slow hash. */
export type Hashed = string & { readonly '~hashed': true };

export function hashSecret(secret: string): Hashed {
  return hash('sha256', secret, 'hex') as Hashed;
}

/** Compares two texts in constant time. */
export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}

/** Identifies master keys without revealing anything about them. The current one comes first. */
export function fingerprintsOf(keyring: Pick<Keyring, 'derive'>): { id: string; fingerprint: string }[] {
  return keyring.derive('fingerprint').map(({ id, key }) => ({
    id,
    fingerprint: createHash('sha256').update(key).digest('hex').slice(0, 16),
  }));
}
