import { op, pageOf, pageParams, T } from '@latchkey/kernel';
import { ownApp } from '../client-apps/index.ts';
import { ClientAppCall, keepLinesDays, linesPerMinute } from './call.ts';
import { getClientAppUsage, listClientAppCalls } from './reads.ts';
import { ClientAppUsage, daysShown } from './usage.ts';

const id = T.String({ description: 'The client id.', minLength: 1, maxLength: 128 });

export const appCallOperations = [
  op(
    'GET /latchkey/client-apps/{id}/calls',
    {
      id: 'listClientAppCalls',
      summary: 'List an application’s recent calls',
      description: `Returns the calls that one of your client applications made in the last ${keepLinesDays} days, newest first, with their request ids; no bodies and no addresses. Calls appear after a few seconds. Of a busy application about ${linesPerMinute} calls a minute are kept. Empty where the operator has turned the log off.`,
      access: ownApp('id'),
      params: {
        id,
        onlyErrors: T.Optional(T.Boolean({ description: 'Only calls that were refused or failed.' })),
        ...pageParams,
      },
      returns: pageOf(ClientAppCall, 'ClientAppCallPage'),
      errors: ['ENTITY_NOT_FOUND'],
      paginated: 'token',
    },
    listClientAppCalls,
  ),
  op(
    'GET /latchkey/client-apps/{id}/usage',
    {
      id: 'getClientAppUsage',
      summary: 'Get an application’s usage',
      description: `Returns how many calls one of your client applications made on each of the last ${daysShown} days, how much of each rate limit of its plan is used, and when its API key was last used.`,
      access: ownApp('id'),
      params: { id },
      returns: ClientAppUsage,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getClientAppUsage,
  ),
] as const;
