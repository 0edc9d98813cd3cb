import {
  type ArtifactKind,
  ClientDocumentError,
  claimsOf,
  clientAuthMethods,
  clientSigningAlgs,
  consumeArtifact,
  contextFor,
  endGrant,
  endProviderToken,
  findAccount,
  findArtifact,
  findGrant,
  findOauthClient,
  findProviderToken,
  findSessionByUid,
  isDocumentAddress,
  lifetimes,
  logoutPath,
  looksLikeAccessToken,
  type ProviderToken,
  pushPath,
  putArtifact,
  putGrant,
  putProviderToken,
  readClientDocument,
  removeArtifact,
  type Services,
  scopeClaims,
  signingAlgs,
  userinfoPath,
} from '@latchkey/core';
import { openIdScopes, scopes } from '@latchkey/kernel';
import Provider, {
  type Adapter,
  type AdapterFactory,
  type AdapterPayload,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { guardedFetch } from '../egress/index.ts';
import { isFapi2, ownField, toProviderClient } from './client.ts';
import { grantLoader } from './grants.ts';
import {
  checkResource,
  checkScopes,
  claimsForToken,
  createPolicy,
  isAllowedOrigin,
  mayIntrospect,
  mayRevoke,
} from './policy.ts';
import { asProtocolError } from './protocol-error.ts';
import { renderError, renderLoggedOut, renderLogout } from './render-pages.ts';

export const paths = {
  authorize: '/oauth2/authorize',
  token: '/oauth2/token',
  introspect: '/oauth2/introspect',
  revoke: '/oauth2/revoke',
  userinfo: userinfoPath,
  push: pushPath,
  logout: logoutPath,
} as const;

/** Builds the provider's configuration. All other features are turned off. */
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
      pushed_authorization_request: paths.push,
      end_session: paths.logout,
    },
    // The keys come from the database, and change while the server runs.
    jwks: { keys: [] },
    enabledJWA: {
      idTokenSigningAlgValues: [...signingAlgs],
      clientAuthSigningAlgValues: [...clientSigningAlgs],
      requestObjectSigningAlgValues: [...clientSigningAlgs],
      dPoPSigningAlgValues: [...clientSigningAlgs],
      authorizationSigningAlgValues: [...signingAlgs],
    },
    clientDefaults: { id_token_signed_response_alg: signingAlgs[0], grant_types: [], response_types: [] },
    clientAuthMethods: [...clientAuthMethods],
    extraClientMetadata: { properties: [ownField] },
    responseTypes: ['code', 'id_token'],
    // A code is useless without a confidential client's secret, which proves what PKCE would.
    pkce: {
      required: (_ctx, client) =>
        client.clientAuthMethod === 'none' || services.settings.strictOauth === true || isFapi2(client),
    },
    scopes: [...openIdScopes, ...Object.keys(scopes).filter((scope) => !scope.startsWith('$'))],
    claims: { ...scopeClaims, auth_time: null, iss: null },
    // Clients that read only the id token get the claims that userinfo would return.
    conformIdTokenClaims: false,
    extraParams: {
      platform: null,
      login_provider: null,
      scope: checkScopes,
      resource: (_ctx, resource) => checkResource(services.settings.baseUrl, resource),
    },
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
    extraTokenClaims: claimsForToken(services),
    loadExistingGrant: grantLoader(services),
    interactions: {
      policy: createPolicy(),
      url: (_ctx, { prompt, uid }) =>
        `${services.settings.baseUrl}/${prompt.name === 'login' ? 'login' : 'consent'}/${uid}`,
    },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // FAPI 2.0, 5.3.2.1: tokens that are bound to a key need no rotation, which can lose a sign-in.
    rotateRefreshToken: (ctx) => ctx.oidc.client === undefined || !isFapi2(ctx.oidc.client),
    // Seconds by which a client's clock may be ahead (FAPI 2.0, 5.3.2.1).
    clockTolerance: 10,
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
      dPoP: {
        enabled: true,
        nonceSecret: Buffer.from(services.keyring.derive('dpop-nonce')[0]?.key ?? []),
        requireNonce: (ctx) => ctx.oidc.client !== undefined && isFapi2(ctx.oidc.client),
      },
      pushedAuthorizationRequests: { enabled: true },
      requestObjects: { enabled: true },
      jwtResponseModes: { enabled: true },
      fapi: {
        enabled: true,
        profile: (_ctx, client) => (client !== undefined && isFapi2(client) ? '2.0' : undefined),
      },
      backchannelLogout: { enabled: true },
      resourceIndicators: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: renderLogout,
        postLogoutSuccessSource: renderLoggedOut,
      },
    },
  };
}

/** Returns the scopes that were requested and not refused: a code stores the requested ones, the grant both. */
function grantedOf({ oidc }: KoaContextWithOIDC, requested: string): readonly string[] {
  return (oidc.grant?.getOIDCScope() ?? '').split(' ').filter((scope) => requested.split(' ').includes(scope));
}

/** Signed, so that knowing the slug of a request is not enough to impersonate the browser it came from. */
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

type Store = Pick<Adapter, 'find' | 'upsert' | 'destroy'> & Partial<Adapter>;

const artifactKinds: Readonly<Record<string, ArtifactKind>> = {
  Session: 'session',
  Interaction: 'interaction',
  AuthorizationCode: 'code',
  RefreshToken: 'refresh-token',
  PushedAuthorizationRequest: 'pushed-request',
};

/** Stores the provider's state in our tables. */
function createAdapters(services: Services): AdapterFactory {
  return (name) => whole(name, storeFor(services, name));
}

function storeFor(services: Services, name: string): Store {
  const kind = artifactKinds[name];
  if (kind !== undefined) return artifactStore(services, kind);
  switch (name) {
    case 'AccessToken':
    case 'ClientCredentials':
      return tokenStore(services, name);
    case 'Grant':
      return {
        find: async (id) => findGrant(services, id),
        upsert: (id, payload) => putGrant(services, id, { ...payload }),
        destroy: (id) => endGrant(services, id),
      };
    case 'Client':
      return {
        find: async (id) => {
          await readDocument(services, id);
          const client = await findOauthClient(services, id);
          return client && toProviderClient(client);
        },
        upsert: notKept,
        destroy: notKept,
      };
    default:
      return { find: notKept, upsert: notKept, destroy: notKept };
  }
}

/**
 * Reads the document of an application whose client id is its address: the first time that it is named, and at a sign-in
 * if it is due again.
 */
async function readDocument(services: Services, clientId: string): Promise<void> {
  if (!isDocumentAddress(clientId)) return;
  const ctx = contextFor(services, { kind: 'system', job: 'client-registration' });
  try {
    await readClientDocument(ctx, clientId, { isCurrent: Provider.ctx?.path === paths.authorize });
  } catch (error) {
    if (!(error instanceof ClientDocumentError)) throw error;
    throw new errors.CustomOIDCProviderError('invalid_client', error.message);
  }
}

function artifactStore(services: Services, kind: ArtifactKind): Store {
  return {
    // A token of unknown type is looked up among all types; its format shows that it is none of these.
    find: async (id) => (looksLikeAccessToken(id) ? undefined : asPayload(await findArtifact(services, kind, id))),
    findByUid: async (uid) => asPayload(await findSessionByUid(services, uid)),
    upsert: (id, payload, expiresIn = 0) => putArtifact(services, kind, id, { ...payload }, expiresIn),
    destroy: (id) => removeArtifact(services, kind, id),
    consume: async (id) => {
      if (await consumeArtifact(services, kind, id)) return;
      if (kind === 'pushed-request') throw new errors.InvalidRequestUri('it was used concurrently by another request');
      // A concurrent request consumed it between our read and our write: treat it as a replay.
      const used = await findArtifact(services, kind, id);
      if (used?.grantId !== undefined) await endGrant(services, used.grantId);
      throw new errors.InvalidGrant('it was used concurrently by another request');
    },
    // The provider also ends the grant, which ends these.
    revokeByGrantId: async () => undefined,
  };
}

function tokenStore(services: Services, kind: ProviderToken['kind']): Store {
  return {
    find: async (token) => asPayload(await findProviderToken(services, kind, token)),
    upsert: (token, payload) => putProviderToken(services, token, { ...payload, kind }),
    destroy: (token) => endProviderToken(services, token),
    revokeByGrantId: async () => undefined,
  };
}

// The stored content came from the provider; its types list every field of every model at once.
function asPayload(content: object | undefined): AdapterPayload | undefined {
  return content as AdapterPayload | undefined;
}

async function notKept(): Promise<never> {
  throw new Error('The provider stores a model that this server does not support.');
}

/** Completes the adapter's methods, and maps database errors to OAuth2 errors. */
function whole(name: string, store: Store): Adapter {
  const guarded =
    <Args extends unknown[], Result>(method: ((...args: Args) => Promise<Result>) | undefined) =>
    async (...args: Args): Promise<Result> => {
      if (method === undefined) throw new Error(`${name} cannot be stored this way.`);
      try {
        return await method(...args);
      } catch (error) {
        throw asProtocolError(error);
      }
    };
  return {
    find: guarded(store.find),
    upsert: guarded(store.upsert),
    destroy: guarded(store.destroy),
    consume: guarded(store.consume),
    findByUid: guarded(store.findByUid),
    findByUserCode: guarded(store.findByUserCode),
    revokeByGrantId: guarded(store.revokeByGrantId),
  };
}
