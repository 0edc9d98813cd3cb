import { admin, choice, listOf, NoContent, op, text } from '@latchkey/kernel';
import { signingPurposes } from '../../developers/signing-keys/index.ts';
import {
  AdminKey,
  AdminKeyRequest,
  MasterKeyState,
  makeAdminKey,
  NewAdminKey,
  readAdminKeys,
  readMasterKeys,
  readSigningKeys,
  rotateSigningKey,
  SigningKeyState,
  takeAdminKeyBack,
} from './keys.ts';

export const operatorKeyOperations = [
  op(
    'GET /latchkey/operator/admin-keys',
    {
      id: 'listAdminKeys',
      summary: 'List operator keys',
      description:
        'Returns the keys that open everything, newest first, without the keys themselves. For the operator.',
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
        'Creates a key that opens everything, for a time and from some addresses if you say so. The response shows it for the only time. A key that is limited itself creates none with wider limits. For the operator.',
      facts: {
        needsNoKey: 'Each one is on record and can be revoked; its secret is not kept for a repetition.',
        senderDecides: 'name expiresTime allowedIpAddresses reason',
        samples: { name: 'Deputy', expiresTime: '2100-01-31T12:00:00Z', allowedIpAddresses: '192.0.2.0/24' },
      },
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
        'Revokes a key that opens everything, at once. Fails with STATE_CONFLICT for the last one that works. For the operator.',
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
        'Makes a new key that signs from now on. What the old one signed can be verified for 30 more days. For the operator.',
      audit: 'signing-key.rotate',
      facts: { needsNoKey: 'A second rotation only retires one more key, which stays published.' },
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
