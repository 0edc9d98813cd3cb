import { findClientRef, type Services, verifyAeToken } from '@latchkey/core';
import type { ClientLimits, Scheme } from '../credentials.ts';

/** `Authorization: AE <token>`: a signed token inside authenticated encryption, issued by this server for one hour. */
export function aeTokenScheme(services: Services): Scheme {
  return async (token) => {
    let client: ClientLimits | undefined;
    const actor = await verifyAeToken(services, token, async (clientId) => {
      const found = await findClientRef(services.db.pool, clientId);
      client = found;
      return found?.client;
    });
    return { actor, client };
  };
}
