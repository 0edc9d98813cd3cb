import { choice, record, T, text, type ValueOf } from '@latchkey/kernel';
import { challengeFormats, challengeTtlSeconds, userVerifications } from './challenge.ts';

const residentKeys = ['required', 'preferred', 'discouraged'] as const;

/** COSE numbers of EdDSA, ES256 and RS256, in order of preference. */
export const algorithms = [-8, -7, -257] as const;

/** How long a browser waits for its user, shorter than the lifetime of the challenge. */
export const timeoutMs = 2 * 60 * 1000;

const userVerification = T.Optional(
  choice(
    'Whether the authenticator must verify its user, for example with a PIN or a fingerprint. required is checked in the response. Defaults to preferred.',
    userVerifications,
  ),
);

const rpID = T.Optional(
  T.String({
    description: 'The domain of the passkeys: the host of this server, which is the default, or a parent domain of it.',
    minLength: 1,
    maxLength: 253,
  }),
);

const challengeFormat = T.Optional(
  choice(
    `The challenge format. In any case, it can be used once within ${challengeTtlSeconds / 60} minutes. slug, the default: random and remembered by the server. jwt: a signed token that contains its terms, so that nothing is stored until the response arrives. chain: the SHA-256 of challengeText, for verifiers that know the text, such as a contract.`,
    challengeFormats,
  ),
);

export const registrationParams = {
  userVerification,
  requireResidentKey: T.Optional(
    choice(
      'The older form of residentKey: true means required, false means discouraged. residentKey takes precedence.',
      ['true', 'false'],
    ),
  ),
  residentKey: T.Optional(
    choice(
      'Whether the passkey must be discoverable, so that it can sign in without a user name. Defaults to required.',
      residentKeys,
    ),
  ),
  rpID,
  challengeFormat,
};

export const authenticationParams = {
  userVerification,
  rpID,
  challenge: T.Optional(
    T.String({
      description:
        'A text of the caller that the challenge commits to, besides a nonce: the last line of challengeText with challengeFormat chain, a claim of the token with jwt. With slug it is ignored. It is never the challenge itself, since an earlier response could then be replayed.',
      minLength: 1,
      maxLength: 512,
      pattern: '^[!-~]+$',
    }),
  ),
  challengeFormat,
};

export type RegistrationRequest = {
  [Name in keyof typeof registrationParams]?: ValueOf<(typeof registrationParams)[Name]>;
};

export type AuthenticationRequest = {
  [Name in keyof typeof authenticationParams]?: ValueOf<(typeof authenticationParams)[Name]>;
};

const publicKeyType = choice('Always public-key.', ['public-key']);

const Descriptor = T.Object(
  {
    id: text('The id its authenticator gave the passkey, in base64url.', { maxLength: 1366 }),
    type: publicKeyType,
    transports: T.Array(T.String({ maxLength: 32 }), {
      description: 'The transports of its authenticator.',
      maxItems: 10,
    }),
  },
  { description: 'A passkey.' },
);

const shared = {
  challenge: text('The bytes to be signed, in base64url.', { maxLength: 8192 }),
  challengeText: T.Optional(
    text('With challengeFormat chain: the text whose SHA-256 is the challenge, in lines that name its fields.', {
      maxLength: 4096,
    }),
  ),
  timeout: T.Number({ description: 'How long the browser should wait for its user, in milliseconds.' }),
};

export const RegistrationOptions = record(
  'PasskeyRegistrationOptions',
  'The input of PublicKeyCredential.parseCreationOptionsFromJSON(), for navigator.credentials.create().',
  {
    ...shared,
    rp: T.Object(
      {
        id: text('The domain.', { maxLength: 253 }),
        name: text('The display name of this server.'),
      },
      { description: 'The relying party of the passkey.' },
    ),
    user: T.Object(
      {
        id: text('A random id of the user for authenticators, in base64url.', { maxLength: 88 }),
        name: text('The user’s name.'),
        displayName: text('The user’s name.'),
      },
      { description: 'The owner of the passkey.' },
    ),
    pubKeyCredParams: T.Array(
      T.Object(
        { alg: T.Number({ description: 'The COSE number of a signature algorithm.' }), type: publicKeyType },
        { description: 'A kind of key.' },
      ),
      { description: 'The accepted key types, in order of preference.', maxItems: 10 },
    ),
    attestation: choice('Always none: attestation is not requested.', ['none']),
    excludeCredentials: T.Array(Descriptor, {
      description: 'The user’s existing passkeys, so that an authenticator is not registered twice.',
      maxItems: 100,
    }),
    authenticatorSelection: T.Object(
      {
        residentKey: choice('Whether the passkey must be discoverable.', residentKeys),
        requireResidentKey: T.Boolean({ description: 'The same for older browsers.' }),
        userVerification: choice('Whether the user must be verified.', userVerifications),
      },
      { description: 'Which authenticators may be used.' },
    ),
    extensions: T.Object(
      { credProps: T.Boolean({ description: 'Requests whether the passkey is discoverable.' }) },
      { description: 'The requested extensions.' },
    ),
  },
);

export type RegistrationOptions = ValueOf<typeof RegistrationOptions>;

export const AuthenticationOptions = record(
  'PasskeyAuthenticationOptions',
  'The input of PublicKeyCredential.parseRequestOptionsFromJSON(), for navigator.credentials.get().',
  {
    ...shared,
    rpId: text('The domain of the passkeys.', { maxLength: 253 }),
    userVerification: choice('Whether the user must be verified.', userVerifications),
    allowCredentials: T.Optional(
      T.Array(Descriptor, {
        description:
          'The passkeys of the caller, if the caller is signed in. Otherwise absent: any passkey can be used.',
        maxItems: 100,
      }),
    ),
  },
);

export type AuthenticationOptions = ValueOf<typeof AuthenticationOptions>;

function bytes(description: string, maxLength: number) {
  return T.String({
    description: `${description} In base64url.`,
    minLength: 1,
    maxLength,
    pattern: '^[A-Za-z0-9_-]+$',
  });
}

const identity = {
  id: bytes('The id of the passkey.', 1366),
  rawId: bytes('The same as id.', 1366),
  type: choice('Always public-key.', ['public-key']),
};

/** Browsers add fields as WebAuthn evolves; those that are not needed here are ignored. */
const extensible = { 'x-extensible': true };

const clientDataJSON = bytes('The client data: the challenge and the origin of the page.', 8192);

export const RegistrationResponse = record(
  'PasskeyRegistrationResponse',
  'The result of toJSON() of the navigator.credentials.create() response.',
  {
    ...identity,
    response: T.Object(
      {
        clientDataJSON,
        attestationObject: bytes('The attestation object.', 8192),
        transports: T.Optional(
          T.Array(T.String({ maxLength: 32 }), {
            description: 'The transports of the authenticator.',
            maxItems: 10,
          }),
        ),
      },
      { description: 'The authenticator’s response.', ...extensible },
    ),
    authenticatorAttachment: T.Optional(
      choice('Whether the authenticator is built into the device or external.', ['platform', 'cross-platform']),
    ),
    clientExtensionResults: T.Optional(
      T.Object(
        {
          credProps: T.Optional(
            T.Object(
              {
                rk: T.Optional(T.Boolean({ description: 'Whether the passkey is discoverable.' })),
              },
              { description: 'Properties of the passkey.' },
            ),
          ),
        },
        { description: 'The client extension results. Other extensions are ignored.', ...extensible },
      ),
    ),
    name: T.Optional(text('The user’s name for the passkey. Defaults to Passkey.', { minLength: 1, maxLength: 100 })),
    userAgent: T.Optional(text('The name of the browser, to tell passkeys apart in a list.', { maxLength: 512 })),
  },
  extensible,
);

export type RegistrationResponse = ValueOf<typeof RegistrationResponse>;

const assertion = T.Object(
  {
    clientDataJSON,
    authenticatorData: bytes('The authenticator data.', 4096),
    signature: bytes('Its signature over both.', 2048),
    userHandle: T.Optional(bytes('The id that the authenticator knows its user by.', 88)),
  },
  { description: 'The authenticator’s response.', ...extensible },
);

export const AuthenticationResponse = record(
  'PasskeyAuthenticationResponse',
  'The result of toJSON() of the navigator.credentials.get() response.',
  { ...identity, response: assertion },
  extensible,
);

export type AuthenticationResponse = ValueOf<typeof AuthenticationResponse>;

export const AuthenticationProof = record(
  'PasskeyAuthenticationProof',
  'Either the result of toJSON() of the navigator.credentials.get() response, or only slug.',
  {
    id: T.Optional(identity.id),
    rawId: T.Optional(identity.rawId),
    type: T.Optional(identity.type),
    response: T.Optional(assertion),
    slug: T.Optional(text('The slug of a sign-in that was stored before.', { minLength: 1, maxLength: 64 })),
  },
  extensible,
);

export type AuthenticationProof = ValueOf<typeof AuthenticationProof>;

export const RegistrationVerified = record('PasskeyRegistrationVerified', 'The result of a passkey registration.', {
  verified: T.Boolean({ description: 'Always true: an invalid response is an error.' }),
});

export const AuthenticationVerified = record('PasskeyAuthenticationVerified', 'The result of a passkey sign-in.', {
  verified: T.Boolean({ description: 'Always true: an invalid response is an error.' }),
  idToken: text('An AE token of the user, valid for one hour: send it as Authorization: AE, a space and the token.', {
    maxLength: 8192,
  }),
});

export type AuthenticationVerified = ValueOf<typeof AuthenticationVerified>;
