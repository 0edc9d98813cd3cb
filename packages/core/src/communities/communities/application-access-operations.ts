import { listOf, NoContent, op, optional, shape, T, texts } from '@latchkey/kernel';
import { communityAdmin, communityRuler } from './access.ts';
import {
  ApplicationAccess,
  grantApplicationAccess,
  grantableScopes,
  listApplicationAccess,
  readingScopes,
  revokeApplicationAccess,
} from './application-access.ts';
import { communityParam } from './params.ts';

const clientParam = T.String({ description: 'The client id of the application.', minLength: 1, maxLength: 64 });
const facts = { idsOfNobody: { clientId: 'An application may be let into many communities, no matter who made it.' } };

export const applicationAccessOperations = [
  op(
    'GET /latchkey/communities/{communityId}/applications',
    {
      id: 'listApplicationAccess',
      summary: 'List applications with access',
      description: 'Returns the client applications that admins let into the community, with their scopes there.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: listOf(ApplicationAccess, 'The applications, the longest admitted first.'),
    },
    listApplicationAccess,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/applications/{clientId}',
    {
      id: 'grantApplicationAccess',
      summary: 'Grant an application access',
      description: `Lets a client application use its API key in the community, no matter who made it. Without a body it may read: ${readingScopes.join(', ')}, as far as the operator granted these to it. Only an admin in person can do this, not an application for them. Granting access again replaces the scopes.`,
      audit: 'community.access-grant',
      facts: { ...facts, senderDecides: 'scopes' },
      access: communityRuler('communityId'),
      params: { communityId: communityParam, clientId: clientParam },
      body: optional(
        shape(
          T.Object({
            scopes: T.Optional(
              texts(`What it may do in the community: ${grantableScopes.join(', ')}.`, { maxLength: 64 }),
            ),
          }),
        ),
      ),
      returns: ApplicationAccess,
      errors: ['ENTITY_NOT_FOUND', 'VALIDATION_FAILED'],
    },
    grantApplicationAccess,
  ),
  op(
    'DELETE /latchkey/communities/{communityId}/applications/{clientId}',
    {
      id: 'revokeApplicationAccess',
      summary: 'Revoke an application’s access',
      description: 'Ends the access of a client application to the community. Its API key stops working there at once.',
      audit: 'community.access-revoke',
      facts,
      access: communityRuler('communityId'),
      params: { communityId: communityParam, clientId: clientParam },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    revokeApplicationAccess,
  ),
] as const;
