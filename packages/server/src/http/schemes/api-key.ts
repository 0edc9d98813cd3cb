import { findClientByApiKey, type Services, verifyAdminKey } from '@latchkey/core';
import { AppError } from '@latchkey/kernel';
import type { Scheme } from '../credentials.ts';

// Shorter in its first part than any client application's key, so that neither can be taken for the other.
const adminKeyForm = /^admin[A-Za-z0-9]{12}\./;

/** `x-api-key`: the key of a client application, or the operator's own. */
export function apiKeyScheme(services: Services): Scheme {
  return async (key, { ip }) => {
    if (adminKeyForm.test(key)) return { actor: await verifyAdminKey(services, key, ip) };
    const found = await findClientByApiKey(services, key);
    if (found === undefined)
      throw new AppError('INVALID_CREDENTIAL', 'The API key is unknown, or its application is not approved.');
    return { actor: { kind: 'client', client: found.client, credential: 'api-key' }, client: found };
  };
}
