import type { ClientRef, Random } from '@latchkey/kernel';

const accessTokenPrefix = 'lk_at_';

/** The actor of an access token: a user who authorized a client application, or the application itself. */
export type TokenHolder =
  | { kind: 'user'; userId: string; platform: string; name?: string; clientId?: string }
  | { kind: 'client'; clientId: string };

/** Finds an active client application. */
export type FindClient = (clientId: string) => Promise<ClientRef | undefined>;

/** Whether the roles and holdings that a token relies on are still valid. */
export type StillHolds = (userId: string, reliedOn: Record<string, unknown>) => Promise<boolean>;

/** Creates a token of 256 random bits, with a prefix that secret scanners recognize. */
export function newAccessToken(random: Random): string {
  return `${accessTokenPrefix}${Buffer.from(random.bytes(32)).toString('base64url')}`;
}

/** Whether a text has the format of our access tokens; anything else need not be looked up. */
export function looksLikeAccessToken(token: string): boolean {
  return /^lk_at_[A-Za-z0-9_-]{43}$/.test(token);
}
