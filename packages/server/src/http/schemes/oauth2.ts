import { findClientRef, type Services, stillHold, verifyAccessToken } from '@latchkey/core';
import { AppError } from '@latchkey/kernel';
import type { ClientLimits, Scheme } from '../credentials.ts';

/** `Authorization: Bearer <access token>`: looked up by its hash, together with the application it was issued to. */
export function oauth2Scheme(services: Services): Scheme {
  return async (token) => {
    let limits: ClientLimits | undefined;
    const findClient = async (clientId: string) => {
      const found = await findClientRef(services.db.pool, clientId);
      limits = found;
      return found?.client;
    };
    const actor = await verifyAccessToken(services, token, findClient, (userId, reliedOn) =>
      stillHold(services, userId, reliedOn),
    );
    if (actor.client !== undefined && limits === undefined)
      throw new AppError('INVALID_CREDENTIAL', 'The access token is no longer valid.');
    return { actor, client: limits };
  };
}
