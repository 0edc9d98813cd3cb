import type { Actor } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';

/** A user as an AE token names them: the person, how the token came to be and what it may be used for. */
export interface AeUser
  extends Pick<
    Extract<Actor, { kind: 'user' }>,
    'userId' | 'platform' | 'name' | 'scopes' | 'purpose' | 'credential' | 'presence'
  > {
  /** The one application it was made for. */
  clientId?: string;
}

export type AeContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'origin' | 'settings'>;

export const maxAeTtlSeconds = 3600;
export const maxAeTokenLength = 8192;

/** How far the clocks of two processes may be apart before one refuses what the other made. */
export const aeSkewSeconds = 60;

/** Distinguishes AE tokens from all other tokens signed with the same key, so that none can pass for another. */
export const aeTokenType = 'ae+jwt';

export const aeKeyPurpose = 'ae-token';
