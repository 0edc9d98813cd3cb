import {
  type Access,
  type Answer,
  anyone,
  choice,
  form,
  type OpenIdScope,
  op,
  Redirect,
  resource,
  servedByMount,
  T,
  text,
} from '@latchkey/kernel';
import { clientIdLimit, idTokenAlgs } from '../../identity/client-apps/index.ts';
import {
  AccessTokenResponse,
  IntrospectionRequest,
  IntrospectionResponse,
  RevocationRequest,
  TokenRequest,
} from './messages.ts';

/**
 * The parts of OAuth2 and OpenID Connect that this server supports, for the provider, the metadata and the contracts.
 */
const responseTypes = ['code', 'token', 'id_token'] as const;
export const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials', 'password'] as const;
export const codeChallengeMethods = ['S256'] as const;
export const clientAuthMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const;
export const responseModes = [
  'query',
  'fragment',
  'form_post',
  'jwt',
  'query.jwt',
  'fragment.jwt',
  'form_post.jwt',
] as const;
/** The first one is the default. */
export const signingAlgs = idTokenAlgs;

/** The scopes of OpenID Connect and their claims. Every application may request them. */
const openIdClaims = {
  openid: ['sub', 'roles', 'holdings'],
  profile: ['name', 'preferred_username', 'platform'],
  email: [],
  address: ['address', 'chain'],
  phone: [],
  offline_access: [],
} as const satisfies Record<OpenIdScope, readonly string[]>;

/** The claims of every scope that has any, in id tokens and userinfo. */
export const scopeClaims: Readonly<Record<string, readonly string[]>> = {
  ...openIdClaims,
  'user:wallet:read': ['address', 'chain', 'wallets'],
};

export const userinfoPath = '/oauth2/userinfo';

/** Where applications register themselves (RFC 7591). */
export const registrationPath = '/oauth2/register';

/** Where applications push authorization requests (RFC 9126). */
export const pushPath = '/oauth2/par';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Lifetimes, in seconds. */
export const lifetimes = {
  /** An authorization request, until the user has signed in and decided. */
  interaction: 15 * minute,
  code: minute,
  accessToken: hour,
  idToken: hour,
  /** Each use issues a new one with the same lifetime. */
  refreshToken: 30 * day,
  /** A grant, and so everything that was refreshed from it. */
  grant: 180 * day,
  /** How long a browser stays signed in here after its last use. */
  session: day,
  /** A token that can only decide on one request. */
  consentToken: 15 * minute,
} as const;

/** The logout endpoint of OpenID Connect RP-Initiated Logout. */
export const logoutPath = '/oauth2/logout';

/** The application authenticates itself with its secret or its client id, as OAuth2 requires. */
const clientCredential: Access = { roles: [], scopes: [] };

const Done: Answer<void> = { kind: 'none', status: 200, description: 'The token is not active.' };

export const oauth2 = resource(
  'oauth2',
  'Log users in to other applications with OAuth2 and OpenID Connect. Errors follow RFC 6749: error and error_description.',
  [
    op(
      'GET /oauth2/authorize',
      {
        id: 'authorize',
        sdk: 'OAuth2Controller.authorize',
        summary: 'Request access from a user',
        description:
          'An application redirects the user’s browser here. The user logs in, decides, and is redirected to redirect_uri with a code (or with tokens, for applications that the operator allows to use the implicit flow), state and iss. A public application needs PKCE with S256; a confidential one can omit PKCE or use plain, unless the operator requires S256. The OpenID Connect parameters nonce, prompt, max_age, id_token_hint and response_mode are also supported.',
        access: anyone,
        params: {
          response_type: choice('The response type.', responseTypes),
          client_id: text('The client id of the application, or the address of a document that describes it.', {
            maxLength: clientIdLimit,
          }),
          redirect_uri: T.Optional(
            text(
              'The redirect URI: exactly one that is registered, or any port and sub-path of a registered loopback address over http. Can be omitted if there is only one.',
              { maxLength: 2048 },
            ),
          ),
          scope: T.Optional(
            text(
              'The requested scopes, separated by spaces. Defaults to openid. roles:<community> and holdings:<community> request the user’s roles and holdings in a community.',
              { maxLength: 4096 },
            ),
          ),
          state: T.Optional(text('Returned unchanged.', { maxLength: 4096 })),
          code_challenge: T.Optional(
            text('The SHA-256 of the code verifier in base64url, or the verifier itself with plain (RFC 7636).', {
              maxLength: 128,
            }),
          ),
          code_challenge_method: T.Optional(
            choice('How the challenge was computed. Defaults to plain, which only confidential applications can use.', [
              'S256',
              'plain',
            ]),
          ),
          platform: T.Optional(text('The chat platform to offer first for logging in.', { maxLength: 64 })),
          login_provider: T.Optional(text('The login method to offer first.', { maxLength: 64 })),
        },
        returns: Redirect,
        mounted: true,
      },
      servedByMount,
    ),
    op(
      'GET /oauth2/callback/{slug}',
      {
        id: 'oauth2Callback',
        sdk: 'OAuth2Controller.callback',
        summary: 'Continue an access request',
        description:
          'This server’s pages redirect the browser here once the user has logged in or decided. It works only in the browser that the request came from. A login token can be used once. With userAuthorization=granted, the user confirms what POST /user-authorizations/{slug} recorded.',
        changes: true,
        access: anyone,
        params: {
          slug: text('The id of the request.', { minLength: 1, maxLength: 64 }),
          aeToken: text('An AE token of the user.', { minLength: 1, maxLength: 8192 }),
          userAuthorization: T.Optional(choice('The user’s decision.', ['granted', 'denied'])),
        },
        returns: Redirect,
        errors: ['ENTITY_NOT_FOUND'],
        mounted: true,
      },
      servedByMount,
    ),
    op(
      'POST /oauth2/token',
      {
        id: 'token',
        sdk: 'OAuth2Controller.token',
        summary: 'Get tokens',
        description:
          'Exchanges a code, a refresh token, the application’s credentials or a user’s login for tokens. Codes and refresh tokens work once: using one again revokes all tokens issued from it.',
        access: clientCredential,
        body: form(TokenRequest),
        returns: AccessTokenResponse,
        mounted: true,
      },
      servedByMount,
    ),
    op(
      'POST /oauth2/introspect',
      {
        id: 'introspect',
        sdk: 'OAuth2Controller.introspect',
        summary: 'Introspect a token',
        description:
          'Returns whether a token is active, and its details (RFC 7662). An application can introspect its own tokens and those of other applications of the same owner. A token for roles or holdings becomes inactive when one of them is lost.',
        access: clientCredential,
        body: form(IntrospectionRequest),
        returns: IntrospectionResponse,
        mounted: true,
      },
      servedByMount,
    ),
    op(
      'POST /oauth2/revoke',
      {
        id: 'revoke',
        sdk: 'OAuth2Controller.revoke',
        summary: 'Revoke a token',
        description:
          'Revokes a token of the application, together with the authorization that it was issued from (RFC 7009). Revoking an inactive token is not an error.',
        access: clientCredential,
        body: form(RevocationRequest),
        returns: Done,
        mounted: true,
      },
      servedByMount,
    ),
  ],
);
