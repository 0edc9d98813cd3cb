import { AppError } from '@latchkey/kernel';
import { type Ceremony, challengeTtlSeconds } from './challenge.ts';

/** What is wrong with a response, as far as the caller may know. */
const doubts = {
  challenge: `The challenge was not issued by this server, was already used, or is older than ${challengeTtlSeconds / 60} minutes.`,
  origin:
    'This page cannot use the passkeys of this domain. The operator can add its origin to the allowed origins of the calling client application.',
  response: 'The passkey is unknown, or its response does not match the options.',
  verification:
    'This passkey was registered with user verification, such as a PIN or a fingerprint, and requires it to sign in.',
  copied:
    'This passkey seems to have been copied and can no longer be used to sign in. Sign in another way, delete it and register it again.',
  slug: `Stored sign-in not found: it was already used, or is older than ${challengeTtlSeconds / 60} minutes.`,
} as const;

export type Doubt = keyof typeof doubts;

/** A wrong sign-in is a refused credential; a wrong registration by a signed-in user is an invalid body. */
export function refused(ceremony: Ceremony, doubt: Doubt): AppError {
  const message = doubt === 'copied' ? doubts.copied : `${doubts[doubt]} Ask for new options and try again.`;
  if (ceremony === 'authentication') return new AppError('INVALID_CREDENTIAL', message);
  const details = [{ path: '/response', code: doubt, message }];
  return new AppError('VALIDATION_FAILED', message, { details });
}
