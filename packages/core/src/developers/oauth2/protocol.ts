import type { OpenIdScope } from '@latchkey/kernel';

/** What this server speaks of OAuth2 and OpenID Connect. The provider, the metadata and the contracts all read it here. */
export const responseTypes = ['code', 'token', 'id_token'] as const;
export const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials', 'password'] as const;
export const codeChallengeMethods = ['S256'] as const;
export const clientAuthMethods = ['client_secret_basic', 'client_secret_post', 'none'] as const;
export const signingAlg = 'ES256';

/** The scopes of OpenID Connect and the claims behind them. Every application may ask for them. */
const openIdClaims = {
  openid: ['sub', 'platform', 'roles', 'holdings'],
  profile: ['name', 'preferred_username'],
  email: [],
  address: ['address', 'chain'],
  phone: [],
  offline_access: [],
} as const satisfies Record<OpenIdScope, readonly string[]>;

/** The claims behind every scope that has any, in id tokens and in userinfo alike. */
export const scopeClaims: Readonly<Record<string, readonly string[]>> = {
  ...openIdClaims,
  'user:wallet:read': ['address', 'chain', 'wallets'],
};

export const userinfoPath = '/oauth2/userinfo';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** How long things live, in seconds. */
export const lifetimes = {
  /** A request of an application, until the person has logged in and decided. */
  interaction: 15 * minute,
  code: minute,
  accessToken: hour,
  idToken: hour,
  /** Each use gives a new one, which lives as long again. */
  refreshToken: 30 * day,
  /** An authorization, and so everything that was refreshed from it. */
  grant: 180 * day,
  /** How long a browser stays logged in here after it was last seen. */
  session: day,
  /** A token that can only decide about one request. */
  consentToken: 15 * minute,
} as const;

/** Where a browser logs out of this server, as OpenID Connect RP-Initiated Logout has it. */
export const logoutPath = '/oauth2/logout';
