import { createHash } from 'node:crypto';
import type { Keyring } from './keyring.ts';

/** Identifies master keys without revealing anything about them. The current one comes first. */
export function fingerprintsOf(keyring: Pick<Keyring, 'derive'>): { id: string; fingerprint: string }[] {
  return keyring.derive('fingerprint').map(({ id, key }) => ({
    id,
    fingerprint: createHash('sha256').update(key).digest('hex').slice(0, 16),
  }));
}
