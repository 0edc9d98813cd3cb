import { choice, record, shape, T, text } from '@latchkey/kernel';

const scope = T.Optional(text('The scopes that are asked for, separated by spaces.', { maxLength: 4096 }));

/** How an application says who it is, unless it does so in an Authorization header (HTTP Basic). */
const ownFields = {
  scope,
  client_id: T.Optional(text('The client id of the application.', { maxLength: 64 })),
  client_secret: T.Optional(text('The client secret of a confidential application.', { maxLength: 256 })),
};

const AuthorizationCodeRequest = record('AuthorizationCodeRequest', 'Exchanges a code for tokens.', {
  ...ownFields,
  grant_type: choice('What is exchanged.', ['authorization_code']),
  code: text('The code that the person came back with. It works once, for a minute.', { maxLength: 256 }),
  code_verifier: T.Optional(
    text('The text that code_challenge was made from (RFC 7636). Required if the code was asked for with one.', {
      maxLength: 128,
    }),
  ),
  redirect_uri: text('The address that the person came back to, as in the authorization request.', { maxLength: 2048 }),
});

const ClientCredentialsRequest = record('ClientCredentialsRequest', 'Gives an application a token of its own.', {
  ...ownFields,
  grant_type: choice('What is exchanged.', ['client_credentials']),
});

const PasswordRequest = record(
  'PasswordRequest',
  'Exchanges a login of a person for tokens, for applications that the operator allowed it.',
  {
    ...ownFields,
    grant_type: choice('What is exchanged.', ['password']),
    username: text('The id of the account, or the address of a wallet that is linked to it.', { maxLength: 256 }),
    password: text('An AE token of the person, as a login by wallet or passkey gives it. It is used up.', {
      maxLength: 8192,
    }),
  },
);

const RefreshTokenRequest = record('RefreshTokenRequest', 'Exchanges a refresh token for new tokens.', {
  ...ownFields,
  grant_type: choice('What is exchanged.', ['refresh_token']),
  refresh_token: text('The refresh token. It works once; the answer has the next one.', { maxLength: 256 }),
});

export const TokenRequest = shape(
  T.Union([AuthorizationCodeRequest, ClientCredentialsRequest, PasswordRequest, RefreshTokenRequest]),
);

export const AccessTokenResponse = record('AccessTokenResponse', 'The tokens.', {
  access_token: text('The token to call with, as Authorization: Bearer.', { maxLength: 256 }),
  token_type: text('Always Bearer.', { maxLength: 16 }),
  expires_in: T.Optional(T.Number({ description: 'How long the access token lives, in seconds.' })),
  scope: T.Optional(text('The scopes that were granted, which may be fewer than were asked for.', { maxLength: 4096 })),
  refresh_token: T.Optional(text('Gets new tokens, once.', { maxLength: 256 })),
  id_token: T.Optional(text('Who the person is, signed; when the scope openid was granted.', { maxLength: 16_384 })),
});

const tokenFields = {
  token: text('The token.', { maxLength: 8192 }),
  token_type_hint: T.Optional(choice('What kind of token it is, if known.', ['access_token', 'refresh_token'])),
};

export const IntrospectionRequest = record('IntrospectionRequest', 'The token that is asked about.', tokenFields);
export const RevocationRequest = record('RevocationRequest', 'The token that is taken back.', tokenFields);

export const IntrospectionResponse = record(
  'IntrospectionResponse',
  'What a token stands for. Of one that does not count only that is said.',
  {
    active: T.Boolean({ description: 'Whether the token counts at this moment.' }),
    scope: T.Optional(text('The scopes it carries, separated by spaces.', { maxLength: 4096 })),
    client_id: T.Optional(text('The application it was issued to.', { maxLength: 64 })),
    username: T.Optional(text('What the person is called.', { maxLength: 256 })),
    token_type: T.Optional(text('Bearer, for access tokens.', { maxLength: 16 })),
    exp: T.Optional(T.Number({ description: 'When it ends, in seconds since 1970.' })),
    iat: T.Optional(T.Number({ description: 'When it was issued, in seconds since 1970.' })),
    nbf: T.Optional(T.Number({ description: 'From when on it counts, in seconds since 1970.' })),
    sub: T.Optional(text('The account of the person.', { maxLength: 256 })),
    aud: T.Optional(text('Whom it is meant for.', { maxLength: 2048 })),
    iss: T.Optional(text('The address of this server.', { maxLength: 2048 })),
    jti: T.Optional(text('The id of the token, where it is not the token itself.', { maxLength: 256 })),
  },
);
