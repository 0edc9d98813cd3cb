import { listOf, record, shape, T, text, texts } from '@latchkey/kernel';
import { retiredKeyDays } from '../signing-keys/index.ts';

/** A public key in the form of RFC 7517. */
export const Jwk = record('JWK', 'A public key that tokens of this server are signed with.', {
  kty: text('The kind of key, always EC.', { maxLength: 16 }),
  crv: text('The curve, always P-256.', { maxLength: 16 }),
  x: text('The x coordinate in base64url.', { maxLength: 64 }),
  y: text('The y coordinate in base64url.', { maxLength: 64 }),
  kid: text('The id of the key: its RFC 7638 thumbprint, as in the header of a token.', { maxLength: 64 }),
  alg: text('The algorithm the key signs with, always ES256.', { maxLength: 16 }),
  use: text('What the key is for, always sig.', { maxLength: 16 }),
});

export const JwkSet = shape(
  T.Object({ keys: listOf(Jwk, `The key that signs now, then those retired in the last ${retiredKeyDays} days.`) }),
);

/** What RFC 8414 calls the metadata of an authorization server. What is not served is left out. */
export const ProviderMetadata = shape(
  T.Object({
    issuer: text('The address of this server, as in the iss claim of its tokens.'),
    authorization_endpoint: T.Optional(text('Where a person is sent to sign in and to agree.')),
    token_endpoint: T.Optional(text('Where a client exchanges a code or its own credentials for a token.')),
    userinfo_endpoint: T.Optional(text('Where a client reads what the scopes tell of a person.')),
    jwks_uri: text('Where the public keys are.'),
    introspection_endpoint: T.Optional(text('Where a client asks whether a token is active.')),
    end_session_endpoint: T.Optional(text('Where a browser goes to log out.')),
    revocation_endpoint: T.Optional(text('Where a client takes back a token.')),
    response_types_supported: T.Optional(texts('The values of response_type that the authorization endpoint accepts.')),
    grant_types_supported: T.Optional(texts('The values of grant_type that the token endpoint accepts.')),
    scopes_supported: texts('The scopes a client may ask for.'),
    subject_types_supported: texts('How users are named to clients: by the same id to all of them.'),
    id_token_signing_alg_values_supported: texts('The algorithms that tokens are signed with.'),
    code_challenge_methods_supported: T.Optional(texts('The PKCE methods the authorization endpoint accepts.')),
    token_endpoint_auth_methods_supported: T.Optional(texts('How a client says who it is.')),
    introspection_endpoint_auth_methods_supported: T.Optional(texts('The same, for introspection.')),
    revocation_endpoint_auth_methods_supported: T.Optional(texts('The same, for revocation.')),
    response_modes_supported: T.Optional(texts('How an answer travels in the address a person comes back to.')),
    claims_supported: T.Optional(texts('What an id token or userinfo may tell.')),
    authorization_response_iss_parameter_supported: T.Optional(
      T.Boolean({ description: 'Always true: answers name this server (RFC 9207), so that they cannot be mixed up.' }),
    ),
    request_uri_parameter_supported: T.Optional(
      T.Boolean({ description: 'Always false: requests are not read from elsewhere.' }),
    ),
    claims_parameter_supported: T.Optional(T.Boolean({ description: 'Always false: scopes alone ask for claims.' })),
  }),
);
