import { hash, timingSafeEqual } from 'node:crypto';

/** SHA-256 of a secret, as hex. Only for secrets with 128 bits of randomness or more: passwords need a slow hash. */
export type Hashed = string & { readonly '~hashed': true };

export function hashSecret(secret: string): Hashed {
  return hash('sha256', secret, 'hex') as Hashed;
}

/** Compares two texts in constant time. */
export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}
