import { createHmac } from 'node:crypto';
import type { Keyring } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import { aeSkewSeconds, maxAeTtlSeconds } from './ae-token.ts';

/**
 * Returns the entries in the list of revoked tokens for a user all of whose tokens ended, one per master key, the
 * current one first. User ids of chat platforms can be enumerated, so a plain hash would still identify the user.
 */
export function endMarks(keyring: Keyring, userId: string): string[] {
  return keyring
    .derive('erased-users')
    .map(({ key }) => `user:${createHmac('sha256', key).update(userId).digest('hex')}`);
}

/** Derives when the tokens ended from the mark's expiry, by which every earlier AE token has expired. */
export function endedAt(markExpiresAt: Date): Date {
  return addSeconds(markExpiresAt, -(maxAeTtlSeconds + aeSkewSeconds));
}
