import { anyone, listOf, op, resource, T } from '@latchkey/kernel';
import { getScope, getScopes, getScopesFromIds, maxIds, ScopeGroup } from './scope.ts';

export const scopes = resource('scopes', 'What each scope allows, for consent pages and developers.', [
  op(
    'GET /scopes',
    {
      id: 'getScopes',
      sdk: 'ScopesController.getScopes',
      summary: 'List all scopes',
      description: 'Returns every scope by group, with the operations that each scope allows.',
      access: anyone,
      returns: listOf(ScopeGroup, 'The groups, in a stable order.'),
    },
    getScopes,
  ),
  op(
    'GET /scopes/{id}',
    {
      id: 'getScope',
      sdk: 'ScopesController.getScope',
      summary: 'Get a scope',
      description: 'Returns the group of the scope, containing only that scope. Legacy scope names are accepted.',
      access: anyone,
      params: { id: T.String({ description: 'The scope, for example user:read.', minLength: 1, maxLength: 64 }) },
      returns: ScopeGroup,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getScope,
  ),
  op(
    'GET /scopes/ids/{ids}',
    {
      id: 'getScopesFromIds',
      sdk: 'ScopesController.getScopesFromIds',
      summary: 'Get several scopes',
      description: `Returns the groups of up to ${maxIds} scopes, containing only those scopes. An unknown name makes the whole request fail, and the message says which.`,
      access: anyone,
      params: {
        ids: T.String({ description: 'Scopes, separated by commas or spaces.', minLength: 1, maxLength: 4096 }),
      },
      returns: listOf(ScopeGroup, 'The groups, in a stable order.'),
      errors: ['ENTITY_NOT_FOUND'],
    },
    getScopesFromIds,
  ),
]);
