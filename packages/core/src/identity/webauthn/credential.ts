import { AppError, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import type { CredentialRow } from './queries.ts';

export const maxCredentialsPerUser = 50;

const classifier = 'DEVICE_CREDENTIAL';

export const DeviceCredential = record('DeviceCredential', 'A passkey of a user.', {
  id: T.Optional(text('The id of the passkey on this server.', { maxLength: 64 })),
  createdTime: T.Optional(text('When it was registered, in ISO 8601.', { maxLength: 32 })),
  pk: T.Optional(text('The user it belongs to.')),
  sk: T.Optional(text('Its id behind its classifier.', { maxLength: 128 })),
  classifier: T.Optional(text(`Always ${classifier}.`, { maxLength: 64 })),
  classifierGroup: T.Optional(text(`Always ${classifier}.`, { maxLength: 64 })),
  rpID: T.Optional(text('The domain it signs in to.', { maxLength: 253 })),
  name: T.Optional(text('The user’s name for it.', { maxLength: 100 })),
  credentialPublicKey: T.Optional(text('Its public key, a COSE key in base64url.', { maxLength: 8192 })),
  credentialDeviceType: T.Optional(
    text('singleDevice, or multiDevice if it may be copied between the devices of its user.', { maxLength: 32 }),
  ),
  authenticatorAttachment: T.Optional(
    text('platform if the authenticator is built into a device, cross-platform if it is external.', { maxLength: 32 }),
  ),
  credentialID: T.Optional(text('The id its authenticator gave it, in base64url.', { maxLength: 1366 })),
  devicePublicKey: T.Optional(text('Never returned: browsers no longer support the extension.')),
  counter: T.Optional(T.Number({ description: 'How often it was used, or 0 if its authenticator does not count.' })),
  transports: T.Optional(texts('The transports of its authenticator.', { maxLength: 32 })),
  clientExtensionResults: T.Optional(
    T.Object(
      {
        credProps: T.Object(
          { rk: T.Boolean({ description: 'Whether it is discoverable: it can sign in without a user name.' }) },
          { description: 'Properties of the passkey.' },
        ),
      },
      { description: 'The client extension results.' },
    ),
  ),
  userVerified: T.Optional(
    T.Boolean({ description: 'Whether it was registered with user verification and requires it to sign in.' }),
  ),
  userAgent: T.Optional(text('The browser it was registered with.', { maxLength: 512 })),
  suspicious: T.Optional(
    T.Boolean({
      description: 'True if its counter did not increase, which indicates a copy. It can no longer be used to sign in.',
    }),
  ),
});
export type DeviceCredential = ValueOf<typeof DeviceCredential>;

/** Converts a passkey to the API's record. */
export function toRecord(row: CredentialRow): DeviceCredential {
  return {
    id: row.id,
    createdTime: row.created_at.toISOString(),
    pk: row.user_id,
    sk: `${classifier}#${row.id}`,
    classifier,
    classifierGroup: classifier,
    rpID: row.rp_id,
    name: row.name,
    credentialPublicKey: Buffer.from(row.public_key).toString('base64url'),
    credentialDeviceType: row.device_type,
    authenticatorAttachment: row.attachment ?? undefined,
    credentialID: row.credential_id,
    counter: row.counter,
    transports: row.transports,
    clientExtensionResults: row.is_resident === null ? undefined : { credProps: { rk: row.is_resident } },
    userVerified: row.is_user_verified,
    userAgent: row.user_agent ?? undefined,
    suspicious: row.suspicious_at !== null,
  };
}

/** Returns the passkey as a descriptor for browsers. */
export function toDescriptor(row: CredentialRow): { id: string; type: 'public-key'; transports: string[] } {
  return { id: row.credential_id, type: 'public-key', transports: row.transports };
}

export function assertRoomForOne(known: readonly CredentialRow[]): void {
  if (known.length < maxCredentialsPerUser) return;
  throw new AppError(
    'STATE_CONFLICT',
    `A user can have up to ${maxCredentialsPerUser} passkeys. Delete one that is no longer used.`,
  );
}
