import { choice, record, T, text, type ValueOf } from '@latchkey/kernel';

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
