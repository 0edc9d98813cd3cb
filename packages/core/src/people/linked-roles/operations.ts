import { admin, NoContent, op, thePerson } from '@latchkey/kernel';
import { attemptTtlSeconds, LinkAttempt, returnedFrom } from '../link-attempts/index.ts';
import { beginConnecting, finishConnecting } from './connect.ts';
import { disconnectLinkedRoles } from './end-connection.ts';
import { getLinkedRoles, LinkedRolesState } from './linked-roles.ts';
import { getRegistration, LinkedRolesRegistration, registerLinkedRoles } from './registration.ts';

const minutes = attemptTtlSeconds / 60;

export const linkedRoleOperations = [
  op(
    'GET /latchkey/account/linked-roles',
    {
      id: 'getLinkedRoles',
      summary: 'Get your Discord linked roles',
      description:
        'Returns what Discord is told of the signed-in person for linked roles, whether they allowed it, and when Discord was told last.',
      access: thePerson,
      returns: LinkedRolesState,
    },
    getLinkedRoles,
  ),
  op(
    'POST /latchkey/account/linked-roles/attempts',
    {
      id: 'beginLinkedRoles',
      summary: 'Start connecting Discord linked roles',
      description: `Returns the address at Discord where the person allows it (OAuth 2.0 with PKCE, scope role_connections.write). Discord then sends the browser to /console/me/linked-roles of this server with a code. An attempt works once, for ${minutes} minutes, for the person who started it.`,
      facts: { needsNoKey: 'Each attempt has a state of its own; unused ones expire.' },
      access: thePerson,
      returns: LinkAttempt,
      errors: ['NOT_CONFIGURED', 'UNAVAILABLE'],
    },
    beginConnecting,
  ),
  op(
    'POST /latchkey/account/linked-roles',
    {
      id: 'connectLinkedRoles',
      summary: 'Finish connecting Discord linked roles',
      description:
        'Keeps the permission, encrypted, and tells Discord the values shortly after. Refused if it was given by another Discord account than the one that is signed in.',
      audit: 'linked-roles.connect',
      facts: { needsNoKey: 'It asks Discord; its state and code work once.', senderDecides: 'state code' },
      access: thePerson,
      body: returnedFrom('Discord'),
      returns: LinkedRolesState,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'NOT_CONFIGURED', 'UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    finishConnecting,
  ),
  op(
    'DELETE /latchkey/account/linked-roles',
    {
      id: 'disconnectLinkedRoles',
      summary: 'Disconnect Discord linked roles',
      description:
        'Deletes the permission. Discord is told that no value holds any more, which removes the roles that depend on them, and the permission is revoked there.',
      audit: 'linked-roles.disconnect',
      access: thePerson,
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    disconnectLinkedRoles,
  ),
  op(
    'GET /latchkey/operator/linked-roles',
    {
      id: 'getLinkedRolesRegistration',
      summary: 'Get the linked roles registration',
      description:
        'Returns whether Discord offers the linked roles of this server’s application, as Discord shows it now. For the operator.',
      access: admin(),
      returns: LinkedRolesRegistration,
    },
    getRegistration,
  ),
  op(
    'PUT /latchkey/operator/linked-roles',
    {
      id: 'registerLinkedRoles',
      summary: 'Register linked roles with Discord',
      description:
        'Registers the values and the address where members connect with Discord. Running it again changes nothing. Add the same address to the redirects of the application in the Discord developer portal, which no API can do. For the operator.',
      audit: 'linked-roles.register',
      access: admin(),
      returns: LinkedRolesRegistration,
      errors: ['NOT_CONFIGURED', 'UNAVAILABLE'],
    },
    registerLinkedRoles,
  ),
] as const;
