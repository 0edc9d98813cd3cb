import type { Hashed } from '@latchkey/db';
import { AppError, platformNames } from '@latchkey/kernel';
import type { PlatformIdentity, PlatformName } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';

/** How long a user may take on the platform. */
export const loginTtlSeconds = 10 * 60;
/** How old the confirmation in a chat may be when its link is opened. */
export const answerTtlSeconds = 5 * 60;

/** The prefix of a message that answers a login. */
export const chatPrefix = 'login-';

/** What a user logs in to, as shown before they confirm. */
export interface LoginRequester {
  name: string;
  /** The host they return to. */
  host: string;
}

/** The sealed data of a login. */
export interface LoginContent {
  /** The authorization request that the login is for. */
  slug: string;
  asker: LoginRequester;
  state: string;
  codeVerifier: string;
  /** The redirect target afterwards, if the starting request set one. */
  returnTo?: string;
  answeredBy?: PlatformIdentity;
}

export function contentPlace(stateHash: Hashed | string): string {
  return `platform_logins.content:${stateHash}`;
}

// Sealed text is authenticated: it can only be what this feature wrote.
export function readContent(ctx: Pick<Context, 'keyring'>, row: { state_hash: Hashed; content: string }): LoginContent {
  return JSON.parse(ctx.keyring.openText(contentPlace(row.state_hash), row.content)) as LoginContent;
}

/** Returns the redirect URI of a platform. Each has its own, so that none can answer for another. */
export function returnAddress({ settings }: Pick<Context, 'settings'>, method: PlatformName): string {
  return `${settings.baseUrl}/login/return/${method}`;
}

/** Returns the configured login methods, in display order. */
export function offeredMethods({ identityProviders }: Pick<Context, 'identityProviders'>): PlatformName[] {
  return platformNames.filter((method) => identityProviders[method] !== undefined);
}

export function isOffered(ctx: Pick<Context, 'identityProviders'>, method: string): method is PlatformName {
  return offeredMethods(ctx).some((offered) => offered === method);
}

/** One error for a login that is unknown, expired, used, or belongs to another browser or platform. */
export function unknownLogin(): AppError {
  return new AppError(
    'INVALID_CREDENTIAL',
    'This login has expired, was already used, or was started in another browser. Go back to where you came from and start again.',
  );
}
