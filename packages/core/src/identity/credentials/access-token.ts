import type { ClientRef, Random } from '@latchkey/kernel';

const accessTokenPrefix = 'lk_at_';

/** The actor of an access token: a user who let a client application act for them, or the application itself. */
export type TokenHolder =
  | { kind: 'user'; userId: string; platform: string; name?: string; clientId?: string }
  | { kind: 'client'; clientId: string };

/** Answers with the client application if it exists and may still be used. */
export type FindClient = (clientId: string) => Promise<ClientRef | undefined>;

/** Whether what a token vouches for is still so. */
export type StillHolds = (userId: string, reliedOn: Record<string, unknown>) => Promise<boolean>;

/** 256 random bits behind a prefix that tools which look for leaked secrets know. */
export function newAccessToken(random: Random): string {
  return `${accessTokenPrefix}${Buffer.from(random.bytes(32)).toString('base64url')}`;
}

/** True for texts an access token of ours can look like; anything else need not be looked up. */
export function looksLikeAccessToken(token: string): boolean {
  return /^lk_at_[A-Za-z0-9_-]{43}$/.test(token);
}
