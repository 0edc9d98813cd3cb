import {
  anyone,
  choice,
  listOf,
  type Operation,
  op,
  openIdScopes,
  type Route,
  record,
  resource,
  scopes,
  shape,
  T,
  type TSchema,
  text,
  texts,
  type ValueOf,
} from '@latchkey/kernel';
import { clientSigningAlgs } from '../../identity/client-apps/index.ts';
import { listPublicKeys, type PublicKey, publicJwk, retiredKeyDays } from '../../services/signing-keys/index.ts';
import type { Context } from '../../shared/context.ts';
import {
  clientAuthMethods,
  codeChallengeMethods,
  logoutPath,
  pushPath,
  registrationPath,
  responseModes,
  scopeClaims,
  signingAlgs,
  userinfoPath,
} from '../oauth2/index.ts';

/** A public key in the form of RFC 7517. */
const Jwk = record('JWK', 'A public key that tokens of this server are signed with.', {
  kty: choice('The kind of key.', ['EC', 'RSA']),
  crv: T.Optional(text('The curve of an EC key, always P-256.', { maxLength: 16 })),
  x: T.Optional(text('The x coordinate of an EC key in base64url.', { maxLength: 64 })),
  y: T.Optional(text('The y coordinate of an EC key in base64url.', { maxLength: 64 })),
  n: T.Optional(text('The modulus of an RSA key in base64url.', { maxLength: 512 })),
  e: T.Optional(text('The exponent of an RSA key in base64url.', { maxLength: 16 })),
  kid: text('The id of the key: its RFC 7638 thumbprint, as in the header of a token.', { maxLength: 64 }),
  alg: choice('The algorithm the key signs with.', signingAlgs),
  use: text('What the key is for, always sig.', { maxLength: 16 }),
});

const JwkSet = shape(
  T.Object({
    keys: listOf(
      Jwk,
      `For each algorithm, the key that signs now, then those retired in the last ${retiredKeyDays} days.`,
    ),
  }),
);

/** The metadata of an authorization server (RFC 8414). What is not served is left out. */
const ProviderMetadata = shape(
  T.Object({
    issuer: text('The address of this server, as in the iss claim of its tokens.'),
    authorization_endpoint: T.Optional(text('The authorization endpoint, where users sign in and give consent.')),
    token_endpoint: T.Optional(text('Where a client exchanges a code or its own credentials for a token.')),
    userinfo_endpoint: T.Optional(text('The userinfo endpoint.')),
    jwks_uri: text('The address of the public keys (JWKS).'),
    introspection_endpoint: T.Optional(text('The token introspection endpoint.')),
    end_session_endpoint: T.Optional(text('The logout endpoint.')),
    revocation_endpoint: T.Optional(text('The token revocation endpoint.')),
    response_types_supported: T.Optional(texts('The values of response_type that the authorization endpoint accepts.')),
    grant_types_supported: T.Optional(texts('The values of grant_type that the token endpoint accepts.')),
    scopes_supported: texts('The scopes a client can request.'),
    subject_types_supported: texts('How users are identified: with the same id for all clients.'),
    id_token_signing_alg_values_supported: texts('The algorithms that tokens are signed with.'),
    code_challenge_methods_supported: T.Optional(texts('The PKCE methods the authorization endpoint accepts.')),
    token_endpoint_auth_methods_supported: T.Optional(texts('How a client authenticates.')),
    introspection_endpoint_auth_methods_supported: T.Optional(texts('The same, for introspection.')),
    revocation_endpoint_auth_methods_supported: T.Optional(texts('The same, for revocation.')),
    response_modes_supported: T.Optional(texts('How the response is passed to the redirect URI.')),
    claims_supported: T.Optional(texts('The claims that id tokens and userinfo can contain.')),
    authorization_response_iss_parameter_supported: T.Optional(
      T.Boolean({ description: 'Always true: responses include the issuer (RFC 9207) to prevent mix-up attacks.' }),
    ),
    request_parameter_supported: T.Optional(
      T.Boolean({ description: 'Always true: requests can be signed (RFC 9101).' }),
    ),
    request_object_signing_alg_values_supported: T.Optional(texts('The algorithms for signed requests.')),
    authorization_signing_alg_values_supported: T.Optional(texts('The algorithms for signed responses (JARM).')),
    registration_endpoint: T.Optional(
      text('Where applications register themselves (RFC 7591). Absent unless the operator allows it.'),
    ),
    client_id_metadata_document_supported: T.Optional(
      T.Boolean({
        description: 'Whether the address of a document can be a client id. Absent unless the operator allows it.',
      }),
    ),
    pushed_authorization_request_endpoint: T.Optional(
      text('Where a client can push its authorization request (RFC 9126).'),
    ),
    token_endpoint_auth_signing_alg_values_supported: T.Optional(texts('The algorithms for private_key_jwt.')),
    introspection_endpoint_auth_signing_alg_values_supported: T.Optional(texts('The same, for introspection.')),
    revocation_endpoint_auth_signing_alg_values_supported: T.Optional(texts('The same, for revocation.')),
    dpop_signing_alg_values_supported: T.Optional(texts('The algorithms for DPoP proofs (RFC 9449).')),
    request_uri_parameter_supported: T.Optional(
      T.Boolean({ description: 'Always false: request_uri only names pushed requests.' }),
    ),
    claims_parameter_supported: T.Optional(
      T.Boolean({ description: 'Always false: claims are requested with scopes only.' }),
    ),
    backchannel_logout_supported: T.Optional(
      T.Boolean({ description: 'Always true: applications can be sent a logout token.' }),
    ),
    backchannel_logout_session_supported: T.Optional(
      T.Boolean({ description: 'Always true: a logout token can name the session with sid.' }),
    ),
    frontchannel_logout_supported: T.Optional(
      T.Boolean({ description: 'Always true: a page of an application can be loaded to end its session.' }),
    ),
    frontchannel_logout_session_supported: T.Optional(
      T.Boolean({ description: 'Always true: that page can get iss and sid.' }),
    ),
  }),
);

/** Describes the provider from the operations that are served, so that it cannot promise anything else. */
export function describeProvider(ctx: Pick<Context, 'resources' | 'settings'>): ValueOf<typeof ProviderMetadata> {
  const { baseUrl } = ctx.settings;
  const authorize = findServed(ctx, 'GET /oauth2/authorize');
  const token = findServed(ctx, 'POST /oauth2/token');
  const urlOf = (operation: Operation | undefined) => operation && `${baseUrl}${operation.path}`;
  return {
    issuer: baseUrl,
    authorization_endpoint: urlOf(authorize),
    token_endpoint: urlOf(token),
    userinfo_endpoint: authorize && `${baseUrl}${userinfoPath}`,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    introspection_endpoint: urlOf(findServed(ctx, 'POST /oauth2/introspect')),
    end_session_endpoint: authorize && `${baseUrl}${logoutPath}`,
    revocation_endpoint: urlOf(findServed(ctx, 'POST /oauth2/revoke')),
    response_types_supported: authorize && wordsOf(authorize.params.response_type),
    grant_types_supported: token && [...(wordsOf(token.body?.schema, 'grant_type') ?? []), ...implicitOf(authorize)],
    scopes_supported: requestableScopes,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...signingAlgs],
    code_challenge_methods_supported: authorize && [...codeChallengeMethods],
    token_endpoint_auth_methods_supported: token && [...clientAuthMethods],
    introspection_endpoint_auth_methods_supported: token && [...clientAuthMethods],
    revocation_endpoint_auth_methods_supported: token && [...clientAuthMethods],
    response_modes_supported: authorize && [...responseModes],
    claims_supported: authorize && [...new Set([...Object.values(scopeClaims).flat(), 'auth_time', 'iss', 'sid'])],
    ...(authorize && {
      authorization_response_iss_parameter_supported: true,
      request_parameter_supported: true,
      request_object_signing_alg_values_supported: [...clientSigningAlgs],
      authorization_signing_alg_values_supported: [...signingAlgs],
      ...(ctx.settings.clientRegistration?.isOpen === true && {
        registration_endpoint: `${baseUrl}${registrationPath}`,
        client_id_metadata_document_supported: true,
      }),
      pushed_authorization_request_endpoint: `${baseUrl}${pushPath}`,
      token_endpoint_auth_signing_alg_values_supported: [...clientSigningAlgs],
      introspection_endpoint_auth_signing_alg_values_supported: [...clientSigningAlgs],
      revocation_endpoint_auth_signing_alg_values_supported: [...clientSigningAlgs],
      dpop_signing_alg_values_supported: [...clientSigningAlgs],
      request_uri_parameter_supported: false,
      claims_parameter_supported: false,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      frontchannel_logout_supported: true,
      frontchannel_logout_session_supported: true,
    }),
  };
}

/** OpenID Connect’s scopes for claims that this server never has are accepted, but not offered. */
const offeredScopes = openIdScopes.filter((scope) => scope === 'offline_access' || scopeClaims[scope]?.length !== 0);
const requestableScopes = [...offeredScopes, ...Object.keys(scopes).filter((id) => !id.startsWith('$'))];

function findServed(ctx: Pick<Context, 'resources'>, route: Route): Operation | undefined {
  return ctx.resources.flatMap((resource) => resource.operations).find((operation) => operation.route === route);
}

/** Tokens issued without a code are a separate grant, though the token endpoint is not involved. */
function implicitOf(authorize: Operation | undefined): string[] {
  const words = wordsOf(authorize?.params.response_type) ?? [];
  return words.includes('token') || words.includes('id_token') ? ['implicit'] : [];
}

interface JsonSchema {
  const?: string;
  enum?: string[];
  anyOf?: TSchema[];
  oneOf?: TSchema[];
  properties?: Record<string, TSchema>;
}

// A contract's schema is plain JSON Schema; its type only has the accepted values, not the keywords.
function keywordsOf(schema: TSchema | undefined): JsonSchema {
  return (schema ?? {}) as JsonSchema;
}

/** Returns the fixed values that a schema, or one of its properties, accepts; undefined if it has none. */
function wordsOf(schema: TSchema | undefined, property?: string): string[] | undefined {
  const { anyOf = [], oneOf = [], properties = {} } = keywordsOf(schema);
  const own = keywordsOf(property === undefined ? schema : properties[property]);
  const words = [
    ...(own.enum ?? []),
    ...(own.const === undefined ? [] : [own.const]),
    ...[...anyOf, ...oneOf].flatMap((branch) => wordsOf(branch, property) ?? []),
  ];
  return words.length === 0 ? undefined : [...new Set(words)];
}

export const discovery = resource('discovery', 'Signing keys and endpoints of this server, in machine-readable form.', [
  op(
    'GET /.well-known/jwks.json',
    {
      id: 'getJwks',
      sdk: 'JwksController.getJwks',
      summary: 'Get the public keys',
      description: `Returns the public keys to verify this server’s tokens with. Fetch them again when a token has an unknown key id: keys are replaced from time to time, and a replaced key stays in the list for ${retiredKeyDays} days.`,
      access: anyone,
      returns: JwkSet,
    },
    getJwks,
  ),
  op(
    'GET /.well-known/openid-configuration',
    {
      id: 'getOpenIdConfig',
      sdk: 'OAuth2Controller.getOpenIdConfig',
      summary: 'Get the provider metadata',
      description:
        'Returns the metadata that OAuth2 and OpenID Connect clients use to configure themselves. It lists only what this server supports.',
      access: anyone,
      returns: ProviderMetadata,
    },
    describeProvider,
  ),
]);

export async function getJwks(ctx: Pick<Context, 'clock' | 'db' | 'keyring'>): Promise<ValueOf<typeof JwkSet>> {
  const [ec, rsa] = await Promise.all([listPublicKeys(ctx, 'jwt'), listPublicKeys(ctx, 'jwt-rs256')]);
  return { keys: [...ec.map((key) => toJwk(key, 'ES256')), ...rsa.map((key) => toJwk(key, 'RS256'))] };
}

function toJwk({ kid, publicKey }: PublicKey, alg: (typeof signingAlgs)[number]): ValueOf<typeof Jwk> {
  const { crv, x, y, n, e } = publicJwk(publicKey);
  return { kty: alg === 'ES256' ? 'EC' : 'RSA', crv, x, y, n, e, kid, alg, use: 'sig' };
}
