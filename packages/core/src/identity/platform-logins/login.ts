import type { Hashed } from '@latchkey/db';
import { AppError, platformNames } from '@latchkey/kernel';
import type { PlatformIdentity, PlatformName } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';

/** How long a user may be away. */
export const loginTtlSeconds = 10 * 60;
/** How old the answer of a chat may be when its link is opened. */
export const answerTtlSeconds = 5 * 60;

/** What the message to a bot begins with when it answers a login. */
export const chatPrefix = 'login-';

/** What a user logs in to, as shown before they confirm. */
export interface LoginRequester {
  name: string;
  /** Where they go afterwards. */
  host: string;
}

/** What is kept of a login, sealed. */
export interface LoginContent {
  /** The request that the login is for. */
  slug: string;
  asker: LoginRequester;
  state: string;
  codeVerifier: string;
  /** Where the browser goes afterwards, if the starting request named it. */
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

/** Where a platform sends the browser back to. Each has an address of its own, so that none can answer for another. */
export function returnAddress({ settings }: Pick<Context, 'settings'>, method: PlatformName): string {
  return `${settings.baseUrl}/login/return/${method}`;
}

/** The ways to log in that are configured here, in the order people are shown them. */
export function offeredMethods({ identityProviders }: Pick<Context, 'identityProviders'>): PlatformName[] {
  return platformNames.filter((method) => identityProviders[method] !== undefined);
}

export function isOffered(ctx: Pick<Context, 'identityProviders'>, method: string): method is PlatformName {
  return offeredMethods(ctx).some((offered) => offered === method);
}

/** One answer for a login that never was, is over, was used, or belongs to another browser or platform. */
export function unknownLogin(): AppError {
  return new AppError(
    'INVALID_CREDENTIAL',
    'This login has expired, was already used, or was started in another browser. Go back to where you came from and start again.',
  );
}
