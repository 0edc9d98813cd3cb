import { createHmac } from 'node:crypto';
import type { Keyring } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import { aeSkewSeconds, maxAeTtlSeconds } from './ae-token.ts';

/**
 * What the list of revoked tokens calls a person all of whose tokens ended, under each master key, the current one first. Ids of chat
 * platforms can be counted through, so that a plain hash of one would still name it.
 */
export function endMarks(keyring: Keyring, userId: string): string[] {
  return keyring
    .derive('erased-users')
    .map(({ key }) => `user:${createHmac('sha256', key).update(userId).digest('hex')}`);
}

/** When the tokens ended, by the end of the mark: the last AE token of before has run out by then. */
export function endedAt(markExpiresAt: Date): Date {
  return addSeconds(markExpiresAt, -(maxAeTtlSeconds + aeSkewSeconds));
}
