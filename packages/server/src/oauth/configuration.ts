import {
  claimsOf,
  clientAuthMethods,
  findAccount,
  lifetimes,
  logoutPath,
  type Services,
  scopeClaims,
  signingAlg,
  userinfoPath,
} from '@latchkey/core';
import { openIdScopes, scopes } from '@latchkey/kernel';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { guardedFetch } from '../egress/index.ts';
import { createAdapters } from './adapter.ts';
import { ownField } from './client.ts';
import { grantLoader } from './grants.ts';
import { checkScopes, createPolicy, isAllowedOrigin, mayIntrospect, mayRevoke, vouchFor } from './policy.ts';
import { renderError } from './render-error.ts';
import { renderLoggedOut, renderLogout } from './render-logout.ts';

export const paths = {
  authorize: '/oauth2/authorize',
  token: '/oauth2/token',
  introspect: '/oauth2/introspect',
  revoke: '/oauth2/revoke',
  userinfo: userinfoPath,
  logout: logoutPath,
} as const;

/** Everything the provider is told. What it could do beyond this is switched off. */
export function configure(services: Services): Configuration {
  return {
    adapter: createAdapters(services),
    fetch: guardedFetch(services.egress),
    routes: {
      authorization: paths.authorize,
      token: paths.token,
      introspection: paths.introspect,
      revocation: paths.revoke,
      userinfo: paths.userinfo,
      end_session: paths.logout,
    },
    // The keys come from the database, and change while the server runs.
    jwks: { keys: [] },
    enabledJWA: {
      idTokenSigningAlgValues: [signingAlg],
      clientAuthSigningAlgValues: [],
      requestObjectSigningAlgValues: [],
    },
    clientDefaults: { id_token_signed_response_alg: signingAlg, grant_types: [], response_types: [] },
    clientAuthMethods: [...clientAuthMethods],
    extraClientMetadata: { properties: [ownField] },
    responseTypes: ['code', 'id_token'],
    // A code is worth nothing without the secret of a confidential client, which proves what PKCE would.
    pkce: {
      required: (_ctx, client) => client.clientAuthMethod === 'none' || services.settings.strictOauth === true,
    },
    scopes: [...openIdScopes, ...Object.keys(scopes).filter((scope) => !scope.startsWith('$'))],
    claims: { ...scopeClaims, auth_time: null, iss: null },
    // Clients that read the id token alone learn from it what userinfo would tell them.
    conformIdTokenClaims: false,
    extraParams: { platform: null, login_provider: null, scope: checkScopes },
    findAccount: async (ctx, userId) => {
      const account = await findAccount(services, userId);
      if (account === undefined) return undefined;
      return {
        accountId: userId,
        claims: async (_use, scope) => ({
          ...(await claimsOf(services, account, grantedOf(ctx, scope))),
          sub: userId,
        }),
      };
    },
    extraTokenClaims: vouchFor(services),
    loadExistingGrant: grantLoader(services),
    interactions: {
      policy: createPolicy(),
      url: (_ctx, { prompt, uid }) =>
        `${services.settings.baseUrl}/${prompt.name === 'login' ? 'login' : 'consent'}/${uid}`,
    },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    expiresWithSession: async () => false,
    clientBasedCORS: isAllowedOrigin,
    renderError,
    ttl: {
      AccessToken: lifetimes.accessToken,
      ClientCredentials: lifetimes.accessToken,
      AuthorizationCode: lifetimes.code,
      IdToken: lifetimes.idToken,
      RefreshToken: lifetimes.refreshToken,
      Grant: lifetimes.grant,
      Interaction: lifetimes.interaction,
      Session: lifetimes.session,
    },
    cookies: configureCookies(services),
    features: {
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: mayIntrospect },
      revocation: { enabled: true, allowedPolicy: mayRevoke },
      userinfo: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      requestObjects: { enabled: false },
      resourceIndicators: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: renderLogout,
        postLogoutSuccessSource: renderLoggedOut,
      },
    },
  };
}

/** What was asked for and not refused: a code remembers the former, the grant both. */
function grantedOf({ oidc }: KoaContextWithOIDC, asked: string): readonly string[] {
  return (oidc.grant?.getOIDCScope() ?? '').split(' ').filter((scope) => asked.split(' ').includes(scope));
}

/** Signed, so that knowing the slug of a request is not enough to pass for the browser that it came from. */
function configureCookies({ keyring, settings }: Services): NonNullable<Configuration['cookies']> {
  const options = {
    httpOnly: true,
    overwrite: true,
    path: '/',
    sameSite: 'lax' as const,
    secure: settings.baseUrl.startsWith('https:'),
    signed: true,
  };
  return {
    keys: keyring.derive('oauth-cookies').map(({ key }) => Buffer.from(key).toString('base64url')),
    names: { session: 'latchkey_session', interaction: 'latchkey_request', resume: 'latchkey_resume' },
    long: options,
    short: options,
  };
}
