import { choice, record, shape, T, text } from '@latchkey/kernel';

const scope = T.Optional(text('The requested scopes, separated by spaces.', { maxLength: 4096 }));

/** How an application authenticates, unless it uses an Authorization header (HTTP Basic). */
const ownFields = {
  scope,
  client_id: T.Optional(text('The client id of the application.', { maxLength: 64 })),
  client_secret: T.Optional(text('The client secret of a confidential application.', { maxLength: 256 })),
};

const AuthorizationCodeRequest = record('AuthorizationCodeRequest', 'Exchanges a code for tokens.', {
  ...ownFields,
  grant_type: choice('The grant type.', ['authorization_code']),
  code: text('The authorization code. It works once and expires after one minute.', { maxLength: 256 }),
  code_verifier: T.Optional(
    text('The text that code_challenge was computed from (RFC 7636). Required if the code was requested with one.', {
      maxLength: 128,
    }),
  ),
  redirect_uri: text('The redirect URI of the authorization request.', { maxLength: 2048 }),
});

const ClientCredentialsRequest = record('ClientCredentialsRequest', 'Issues a token to the application itself.', {
  ...ownFields,
  grant_type: choice('The grant type.', ['client_credentials']),
});

const PasswordRequest = record(
  'PasswordRequest',
  'Exchanges a user’s login for tokens, for applications that the operator allows to.',
  {
    ...ownFields,
    grant_type: choice('The grant type.', ['password']),
    username: text('The id of the account, or the address of a wallet that is linked to it.', { maxLength: 256 }),
    password: text('An AE token of the user from a login with a wallet or passkey. It can be used once.', {
      maxLength: 8192,
    }),
  },
);

const RefreshTokenRequest = record('RefreshTokenRequest', 'Exchanges a refresh token for new tokens.', {
  ...ownFields,
  grant_type: choice('The grant type.', ['refresh_token']),
  refresh_token: text('The refresh token. It works once; the response contains the next one.', { maxLength: 256 }),
});

export const TokenRequest = shape(
  T.Union([AuthorizationCodeRequest, ClientCredentialsRequest, PasswordRequest, RefreshTokenRequest]),
);

export const AccessTokenResponse = record('AccessTokenResponse', 'The tokens.', {
  access_token: text('The token to call with, as Authorization: Bearer.', { maxLength: 256 }),
  token_type: text('Bearer, or DPoP for a token that is bound to a key.', { maxLength: 16 }),
  expires_in: T.Optional(T.Number({ description: 'The lifetime of the access token, in seconds.' })),
  scope: T.Optional(text('The granted scopes, which may be fewer than requested.', { maxLength: 4096 })),
  refresh_token: T.Optional(text('The refresh token. It works once.', { maxLength: 256 })),
  id_token: T.Optional(text('The signed id token, if the scope openid was granted.', { maxLength: 16_384 })),
});

const tokenFields = {
  token: text('The token.', { maxLength: 8192 }),
  token_type_hint: T.Optional(choice('The token type, if known.', ['access_token', 'refresh_token'])),
};

export const IntrospectionRequest = record('IntrospectionRequest', 'The token to introspect.', tokenFields);
export const RevocationRequest = record('RevocationRequest', 'The token to revoke.', tokenFields);

export const IntrospectionResponse = record(
  'IntrospectionResponse',
  'The details of a token. For an inactive token, only active is returned.',
  {
    active: T.Boolean({ description: 'Whether the token is active.' }),
    scope: T.Optional(text('The scopes it carries, separated by spaces.', { maxLength: 4096 })),
    client_id: T.Optional(text('The application it was issued to.', { maxLength: 64 })),
    username: T.Optional(text('The user’s name.', { maxLength: 256 })),
    token_type: T.Optional(text('Bearer or DPoP, for access tokens.', { maxLength: 16 })),
    exp: T.Optional(T.Number({ description: 'When it expires, in seconds since 1970.' })),
    iat: T.Optional(T.Number({ description: 'When it was issued, in seconds since 1970.' })),
    nbf: T.Optional(T.Number({ description: 'When it becomes valid, in seconds since 1970.' })),
    sub: T.Optional(text('The user’s account.', { maxLength: 256 })),
    aud: T.Optional(text('The audience.', { maxLength: 2048 })),
    iss: T.Optional(text('The address of this server.', { maxLength: 2048 })),
    cnf: T.Optional(
      T.Object(
        { jkt: T.Optional(text('The thumbprint of the key (RFC 7638).', { maxLength: 64 })) },
        { description: 'The key that the token is bound to, if any.' },
      ),
    ),
    jti: T.Optional(text('The id of the token, where it is not the token itself.', { maxLength: 256 })),
  },
);
