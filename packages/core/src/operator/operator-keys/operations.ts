import { fingerprintsOf } from '@latchkey/db';
import {
  AppError,
  addDays,
  admin,
  choice,
  listOf,
  NoContent,
  op,
  parseTime,
  record,
  T,
  text,
  texts,
  type ValueOf,
} from '@latchkey/kernel';
import { createAdminKey, listAdminKeys, revokeAdminKey } from '../../identity/credentials/index.ts';
import { auditOf } from '../../services/audit/index.ts';
import {
  listSigningKeys,
  retiredKeyDays,
  rotateKey,
  type SigningPurpose,
  signingPurposes,
} from '../../services/signing-keys/index.ts';
import type { Context } from '../../shared/context.ts';

const AdminKey = record('AdminKey', 'An operator key with full access. The key itself is not stored.', {
  id: text('The id of the key.'),
  name: text('Its name.'),
  state: choice('Whether it can be used.', ['active', 'expired', 'revoked']),
  createdTime: text('When it was created, in ISO 8601.'),
  expiresTime: T.Optional(text('When it expires, in ISO 8601. Absent: never.')),
  revokedTime: T.Optional(text('When it was revoked, in ISO 8601.')),
  allowedIpAddresses: texts('The addresses it may be used from. Empty means any.', { maxLength: 64 }),
  isOwn: T.Boolean({ description: 'Whether it is the key of this request.' }),
});
type AdminKey = ValueOf<typeof AdminKey>;

const AdminKeyRequest = record('AdminKeyRequest', 'A new operator key with full access.', {
  name: text('Its name.', { minLength: 1, maxLength: 100 }),
  expiresTime: T.Optional(
    text('When it expires, for example 2027-01-31T12:00:00Z.', { format: 'date-time', maxLength: 40 }),
  ),
  allowedIpAddresses: T.Optional(
    texts('The addresses it may be used from: single ones, or networks such as 192.0.2.0/24.', { maxLength: 64 }),
  ),
  reason: T.Optional(text('The reason, for the audit log.', { maxLength: 500 })),
});
type AdminKeyRequest = ValueOf<typeof AdminKeyRequest>;

const NewAdminKey = record('NewAdminKey', 'A new key, shown only once.', {
  id: text('The id of the key.'),
  key: text('The key for the x-api-key header.'),
});
type NewAdminKey = ValueOf<typeof NewAdminKey>;

const SigningKeyState = record('SigningKeyState', 'A key that this server signs with, or did.', {
  keyId: text('The id of the key, as used in signatures.'),
  purpose: choice('jwt signs tokens; the others sign calls to mini-apps.', signingPurposes),
  state: choice('signing: it signs now; retired: what it signed can still be verified.', ['signing', 'retired']),
  createdTime: text('When it was created, in ISO 8601.'),
  retiredTime: T.Optional(text('When another key took over, in ISO 8601.')),
  deletedTime: T.Optional(text('When it is deleted, in ISO 8601.')),
});
type SigningKeyState = ValueOf<typeof SigningKeyState>;

const MasterKeyState = record('MasterKeyState', 'A master key that this process knows.', {
  id: text('The id from the settings.'),
  fingerprint: text('A fingerprint that identifies the key without revealing it.'),
  state: choice('current: it seals new secrets; older: it only opens what was sealed before.', ['current', 'older']),
});
type MasterKeyState = ValueOf<typeof MasterKeyState>;

type Row = Awaited<ReturnType<typeof listAdminKeys>>[number];

export async function readAdminKeys(ctx: Context): Promise<AdminKey[]> {
  return (await listAdminKeys(ctx)).map((row) => ({
    id: row.id,
    name: row.name,
    state: stateOf(row, ctx.clock()),
    createdTime: row.created_at.toISOString(),
    ...(row.expires_at !== null && { expiresTime: row.expires_at.toISOString() }),
    ...(row.revoked_at !== null && { revokedTime: row.revoked_at.toISOString() }),
    allowedIpAddresses: row.allowed_ip_addresses,
    isOwn: isOwnKey(ctx, row),
  }));
}

export async function makeAdminKey(ctx: Context, { body }: { body: AdminKeyRequest }): Promise<NewAdminKey> {
  const expiresAt = body.expiresTime === undefined ? undefined : timeOf(body.expiresTime);
  const limits = { expiresAt, allowedIpAddresses: body.allowedIpAddresses ?? [] };
  const own = (await listAdminKeys(ctx)).find((row) => isOwnKey(ctx, row));
  if (own !== undefined) refuseStronger(own, limits);
  return createAdminKey(ctx, body.name, limits, { ...auditOf(ctx, 'admin-key.create'), reason: body.reason });
}

/** A key cannot create a stronger one: otherwise a key valid for a day or one IP address could create one without limits. */
function refuseStronger(
  own: Row,
  { expiresAt, allowedIpAddresses }: { expiresAt: Date | undefined; allowedIpAddresses: readonly string[] },
): void {
  if (own.expires_at !== null && (expiresAt === undefined || expiresAt > own.expires_at))
    throw new AppError(
      'VALIDATION_FAILED',
      `Your own key expires at ${own.expires_at.toISOString()}. The new key cannot expire later; create it with another key or on the command line.`,
    );
  const known = own.allowed_ip_addresses;
  const isWider = allowedIpAddresses.length === 0 || allowedIpAddresses.some((entry) => !known.includes(entry));
  if (known.length > 0 && isWider)
    throw new AppError(
      'VALIDATION_FAILED',
      `Your own key only works from ${known.join(', ')}. Choose from these addresses for the new key, or create it on the command line.`,
    );
}

/** The last active key cannot be revoked here: no one could sign in to create another. */
export async function takeAdminKeyBack(ctx: Context, { id }: { id: string }): Promise<void> {
  const active = (await listAdminKeys(ctx)).filter((row) => stateOf(row, ctx.clock()) === 'active');
  if (active.length === 1 && active[0]?.id === id)
    throw new AppError(
      'STATE_CONFLICT',
      'This is the last active operator key. Create another one first, or revoke it on the command line.',
    );
  await revokeAdminKey(ctx, id, auditOf(ctx, 'admin-key.revoke'));
}

export async function readSigningKeys(ctx: Context): Promise<SigningKeyState[]> {
  return (await listSigningKeys(ctx)).map(({ kid, purpose, created_at, retired_at }) => ({
    keyId: kid,
    purpose,
    state: retired_at === null ? 'signing' : 'retired',
    createdTime: created_at.toISOString(),
    ...(retired_at !== null && {
      retiredTime: retired_at.toISOString(),
      deletedTime: addDays(retired_at, retiredKeyDays).toISOString(),
    }),
  }));
}

export async function rotateSigningKey(
  ctx: Context,
  { purpose }: { purpose: SigningPurpose },
): Promise<SigningKeyState[]> {
  await rotateKey(ctx, purpose);
  return readSigningKeys(ctx);
}

export function readMasterKeys({ keyring }: Pick<Context, 'keyring'>): MasterKeyState[] {
  return fingerprintsOf(keyring).map((key, place) => ({
    ...key,
    state: place === 0 ? 'current' : 'older',
  }));
}

function stateOf({ revoked_at, expires_at }: Row, now: Date): AdminKey['state'] {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at <= now ? 'expired' : 'active';
}

function isOwnKey({ actor }: Pick<Context, 'actor'>, { id }: Row): boolean {
  return actor.kind === 'admin' && actor.keyId === id;
}

function timeOf(text: string): Date {
  const time = parseTime(text);
  if (time === undefined)
    throw new AppError('VALIDATION_FAILED', 'expiresTime must be a time such as 2027-01-31T12:00:00Z.');
  return time;
}

export const operatorKeyOperations = [
  op(
    'GET /latchkey/operator/admin-keys',
    {
      id: 'listAdminKeys',
      summary: 'List operator keys',
      description: 'Returns the operator keys, newest first, without the keys themselves. For the operator.',
      access: admin(),
      returns: listOf(AdminKey, 'The keys, newest first.'),
    },
    readAdminKeys,
  ),
  op(
    'POST /latchkey/operator/admin-keys',
    {
      id: 'createAdminKey',
      summary: 'Create an operator key',
      description:
        'Creates a key with full access, optionally with an expiry time and allowed addresses. It is only shown in this response. A limited key cannot create a key with wider limits. For the operator.',
      access: admin(),
      body: AdminKeyRequest,
      returns: NewAdminKey,
      errors: ['VALIDATION_FAILED'],
    },
    makeAdminKey,
  ),
  op(
    'DELETE /latchkey/operator/admin-keys/{id}',
    {
      id: 'revokeAdminKey',
      summary: 'Revoke an operator key',
      description:
        'Revokes an operator key at once. Fails with STATE_CONFLICT for the last active key. For the operator.',
      access: admin(),
      params: { id: text('The id of the key.', { minLength: 1, maxLength: 64 }) },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
    },
    takeAdminKeyBack,
  ),
  op(
    'GET /latchkey/operator/signing-keys',
    {
      id: 'listSigningKeys',
      summary: 'List signing keys',
      description:
        'Returns the keys that this server signs tokens and calls with, and those that retired within the last 30 days. For the operator.',
      access: admin(),
      returns: listOf(SigningKeyState, 'The keys, by purpose; the one that signs first.'),
    },
    readSigningKeys,
  ),
  op(
    'POST /latchkey/operator/signing-keys/{purpose}/rotate',
    {
      id: 'rotateSigningKey',
      summary: 'Rotate a signing key',
      description:
        'Creates a new key that signs from now on. Signatures of the old one can be verified for 30 more days. For the operator.',
      audit: 'signing-key.rotate',
      access: admin(),
      params: { purpose: choice('What the key signs.', signingPurposes) },
      returns: listOf(SigningKeyState, 'The keys afterwards.'),
    },
    rotateSigningKey,
  ),
  op(
    'GET /latchkey/operator/master-keys',
    {
      id: 'listMasterKeys',
      summary: 'List master key fingerprints',
      description:
        'Returns a fingerprint of each master key that this server was started with, the current one first. For the operator.',
      access: admin(),
      returns: listOf(MasterKeyState, 'The keys, the current one first.'),
    },
    readMasterKeys,
  ),
] as const;
