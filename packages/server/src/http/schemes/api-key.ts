import { findClientByApiKey, type Services, verifyAdminKey } from '@latchkey/core';
import { AppError } from '@latchkey/kernel';
import type { Scheme } from '../credentials.ts';

// Shorter before the dot than any client application's key, so that the two cannot be confused.
const adminKeyForm = /^admin[A-Za-z0-9]{12}\./;

/** `x-api-key`: the key of a client application, or an admin key of the operator. */
export function apiKeyScheme(services: Services): Scheme {
  return async (key, { ip }) => {
    if (adminKeyForm.test(key)) return { actor: await verifyAdminKey(services, key, ip) };
    const found = await findClientByApiKey(services, key);
    if (found === undefined)
      throw new AppError('INVALID_CREDENTIAL', 'The API key is unknown, or its application is not approved.');
    return { actor: { kind: 'client', client: found.client, credential: 'api-key' }, client: found };
  };
}
