import type { Actor } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';

/** A user as in an AE token: who they are, how they signed in and what the token may be used for. */
export interface AeUser
  extends Pick<
    Extract<Actor, { kind: 'user' }>,
    'userId' | 'platform' | 'name' | 'scopes' | 'purpose' | 'credential' | 'presence'
  > {
  /** The one application it was issued for. */
  clientId?: string;
}

export type AeContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'origin' | 'settings'>;

export const maxAeTtlSeconds = 3600;
export const maxAeTokenLength = 8192;

/** The tolerated clock skew between the process that issues a token and the one that verifies it. */
export const aeSkewSeconds = 60;

/** Distinguishes AE tokens from all other tokens signed with the same key, so that none can pass for another. */
export const aeTokenType = 'ae+jwt';

export const aeKeyPurpose = 'ae-token';
