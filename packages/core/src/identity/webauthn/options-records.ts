import { choice, record, T, text, type ValueOf } from '@latchkey/kernel';
import { challengeFormats, challengeTtlSeconds, userVerifications } from './challenge.ts';

const residentKeys = ['required', 'preferred', 'discouraged'] as const;

/** COSE numbers of EdDSA, ES256 and RS256, the best first. */
export const algorithms = [-8, -7, -257] as const;

/** How long a browser waits for its user, within the life of the challenge. */
export const timeoutMs = 2 * 60 * 1000;

const userVerification = T.Optional(
  choice(
    'Whether the authenticator must know its user, by a PIN or a fingerprint for example. required is checked when the answer comes. Defaults to preferred.',
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
    `How the challenge is made; it is good for one answer within ${challengeTtlSeconds / 60} minutes in any case. slug, the default: random and remembered by the server. jwt: a signed token that names its terms, so that nothing is stored until it is answered. chain: the SHA-256 of challengeText, for verifiers that know the text, such as a contract.`,
    challengeFormats,
  ),
);

export const registrationParams = {
  userVerification,
  requireResidentKey: T.Optional(
    choice('An older way to say residentKey: true is required, false is discouraged. residentKey wins.', [
      'true',
      'false',
    ]),
  ),
  residentKey: T.Optional(
    choice(
      'Whether the passkey must be able to sign in without the user being named first. Defaults to required.',
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
        'A text of the caller’s own that the challenge is to commit to, besides a nonce: the last line of challengeText with challengeFormat chain, a claim of the token with jwt. A slug commits to nothing, and leaves it out. It is never the challenge itself, since an answer that was given before could then be sent again.',
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
      description: 'The ways its authenticator can be reached.',
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
  'What PublicKeyCredential.parseCreationOptionsFromJSON() takes, for navigator.credentials.create().',
  {
    ...shared,
    rp: T.Object(
      {
        id: text('The domain.', { maxLength: 253 }),
        name: text('What authenticators call this server.'),
      },
      { description: 'For whom the passkey is.' },
    ),
    user: T.Object(
      {
        id: text('A random id of the user for authenticators, in base64url.', { maxLength: 88 }),
        name: text('What the user is called.'),
        displayName: text('What the user is called.'),
      },
      { description: 'Whose the passkey is.' },
    ),
    pubKeyCredParams: T.Array(
      T.Object(
        { alg: T.Number({ description: 'The COSE number of a signature algorithm.' }), type: publicKeyType },
        { description: 'A kind of key.' },
      ),
      { description: 'The kinds of keys that are accepted, the best first.', maxItems: 10 },
    ),
    attestation: choice('Always none: which make the authenticator is of does not matter.', ['none']),
    excludeCredentials: T.Array(Descriptor, {
      description: 'The passkeys that the user has already, so that no authenticator gets a second one.',
      maxItems: 100,
    }),
    authenticatorSelection: T.Object(
      {
        residentKey: choice('Whether the passkey must be found without being named.', residentKeys),
        requireResidentKey: T.Boolean({ description: 'The same for older browsers.' }),
        userVerification: choice('Whether the user must be verified.', userVerifications),
      },
      { description: 'Which authenticators may be used.' },
    ),
    extensions: T.Object(
      { credProps: T.Boolean({ description: 'Asks whether the passkey can be found without being named.' }) },
      { description: 'What the browser is asked beside.' },
    ),
  },
);
export type RegistrationOptions = ValueOf<typeof RegistrationOptions>;

export const AuthenticationOptions = record(
  'PasskeyAuthenticationOptions',
  'What PublicKeyCredential.parseRequestOptionsFromJSON() takes, for navigator.credentials.get().',
  {
    ...shared,
    rpId: text('The domain of the passkeys.', { maxLength: 253 }),
    userVerification: choice('Whether the user must be verified.', userVerifications),
    allowCredentials: T.Optional(
      T.Array(Descriptor, {
        description:
          'The passkeys of the caller, if the caller is signed in. Otherwise absent: any passkey may answer.',
        maxItems: 100,
      }),
    ),
  },
);
export type AuthenticationOptions = ValueOf<typeof AuthenticationOptions>;
