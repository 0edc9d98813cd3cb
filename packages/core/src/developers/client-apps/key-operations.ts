import { op, optional, T } from '@latchkey/kernel';
import { ClientApplication, RedirectUrisChange, ScopesRequest } from './client-app.ts';
import { ClientAppOverview, getClientAppOverview } from './overview.ts';
import { ownApp } from './own-app.ts';
import { requestScopes } from './request-scopes.ts';
import { endOldApiKey, KeyRoll, rollApiKey } from './roll-api-key.ts';
import { setRedirectUris } from './set-redirect-uris.ts';

const params = { id: T.String({ description: 'The client id.', minLength: 1, maxLength: 128 }) };

/** What the owner of an application sees and changes of its keys, scopes and redirect addresses. */
export const clientAppKeyOperations = [
  op(
    'GET /latchkey/client-apps/{id}/overview',
    {
      id: 'getClientAppOverview',
      summary: 'Get an application’s keys and scopes',
      description:
        'Returns when the API key of one of your client applications was made and until when a replaced one works, every scope with what it allows and whether it was granted, and whether its webhook is switched off.',
      access: ownApp('id'),
      params,
      returns: ClientAppOverview,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getClientAppOverview,
  ),
  op(
    'POST /latchkey/client-apps/{id}/api-key',
    {
      id: 'rollApiKey',
      summary: 'Roll an API key',
      description:
        'Replaces the API key of one of your client applications and returns the new one for the only time. The old key works for `oldKeyEndsInSeconds` more, at most 7 days. While an old key still works, a second overlap fails with STATE_CONFLICT; an overlap of 0 ends both at once.',
      audit: 'app.reset-key',
      facts: { senderDecides: 'oldKeyEndsInSeconds' },
      access: ownApp('id'),
      params,
      body: optional(KeyRoll),
      returns: ClientApplication,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
      repeatable: true,
    },
    rollApiKey,
  ),
  op(
    'DELETE /latchkey/client-apps/{id}/api-key/old',
    {
      id: 'endOldApiKey',
      summary: 'End a replaced API key',
      description: 'Stops the replaced API key of one of your client applications before its time.',
      audit: 'app.reset-key',
      access: ownApp('id'),
      params,
      returns: ClientApplication,
      errors: ['ENTITY_NOT_FOUND'],
    },
    endOldApiKey,
  ),
  op(
    'PUT /latchkey/client-apps/{id}/redirect-uris',
    {
      id: 'setRedirectUris',
      summary: 'Set the redirect URIs of an application',
      description:
        'Sets where logins with one of your client applications may return to. The list replaces the present one. An application without grant types gets authorization_code and refresh_token. The change is shown to the operator in `actions`.',
      audit: 'app.change',
      facts: { senderDecides: 'redirectUris' },
      access: ownApp('id'),
      params,
      body: RedirectUrisChange,
      returns: ClientApplication,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    setRedirectUris,
  ),
  op(
    'PUT /latchkey/client-apps/{id}/requested-scopes',
    {
      id: 'requestScopes',
      summary: 'Request scopes for an application',
      description:
        'Asks the operator for scopes for one of your client applications, with a reason. Nothing opens by it: the operator decides which of them are granted. The list replaces what was asked for before.',
      audit: 'app.change',
      facts: { senderDecides: 'scopes reason' },
      access: ownApp('id'),
      params,
      body: ScopesRequest,
      returns: ClientApplication,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    requestScopes,
  ),
] as const;
