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

const clientDataJSON = bytes('What the browser says it was asked, and by which page.', 8192);

export const RegistrationResponse = record(
  'PasskeyRegistrationResponse',
  'What toJSON() of the answer of navigator.credentials.create() gives.',
  {
    ...identity,
    response: T.Object(
      {
        clientDataJSON,
        attestationObject: bytes('What the authenticator made.', 8192),
        transports: T.Optional(
          T.Array(T.String({ maxLength: 32 }), {
            description: 'The ways the authenticator can be reached.',
            maxItems: 10,
          }),
        ),
      },
      { description: 'The answer of the authenticator.' },
    ),
    authenticatorAttachment: T.Optional(
      choice('Whether the authenticator is a part of the device or comes to it.', ['platform', 'cross-platform']),
    ),
    clientExtensionResults: T.Optional(
      T.Object(
        {
          credProps: T.Optional(
            T.Object(
              {
                rk: T.Optional(
                  T.Boolean({ description: 'Whether the passkey can be found without being named first.' }),
                ),
              },
              { description: 'Properties of the passkey.' },
            ),
          ),
        },
        { description: 'What the browser answered beside. Nothing else of it is read or kept.' },
      ),
    ),
    name: T.Optional(text('What the user calls the passkey. Defaults to Passkey.', { minLength: 1, maxLength: 100 })),
    userAgent: T.Optional(text('What the browser calls itself, to tell passkeys apart in a list.', { maxLength: 512 })),
  },
);
export type RegistrationResponse = ValueOf<typeof RegistrationResponse>;

const assertion = T.Object(
  {
    clientDataJSON,
    authenticatorData: bytes('What the authenticator says.', 4096),
    signature: bytes('Its signature over both.', 2048),
    userHandle: T.Optional(bytes('The id that the authenticator knows its user by.', 88)),
  },
  { description: 'The answer of the authenticator.' },
);

export const AuthenticationResponse = record(
  'PasskeyAuthenticationResponse',
  'What toJSON() of the answer of navigator.credentials.get() gives.',
  { ...identity, response: assertion },
);
export type AuthenticationResponse = ValueOf<typeof AuthenticationResponse>;

export const AuthenticationProof = record(
  'PasskeyAuthenticationProof',
  'Either what toJSON() of the answer of navigator.credentials.get() gives, or slug alone.',
  {
    id: T.Optional(identity.id),
    rawId: T.Optional(identity.rawId),
    type: T.Optional(identity.type),
    response: T.Optional(assertion),
    slug: T.Optional(text('The slug of a sign-in that was stored before.', { minLength: 1, maxLength: 64 })),
  },
);
export type AuthenticationProof = ValueOf<typeof AuthenticationProof>;

export const RegistrationVerified = record('PasskeyRegistrationVerified', 'That a passkey was registered.', {
  verified: T.Boolean({ description: 'Always true: an answer that does not fit is an error.' }),
});

export const AuthenticationVerified = record('PasskeyAuthenticationVerified', 'That a passkey signed in.', {
  verified: T.Boolean({ description: 'Always true: an answer that does not fit is an error.' }),
  idToken: text('An AE token of the user, good for an hour: send it as Authorization: AE, a space and the token.', {
    maxLength: 8192,
  }),
});
export type AuthenticationVerified = ValueOf<typeof AuthenticationVerified>;
