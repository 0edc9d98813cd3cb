import { findClientRef, type Platform, stillHold, verifyAccessToken } from '@latchkey/core';
import { AppError } from '@latchkey/kernel';
import type { ClientLimits, Scheme } from '../credentials.ts';

/** `Authorization: Bearer <access token>`: looked up by its hash, together with the application it was issued to. */
export function oauth2Scheme(platform: Platform): Scheme {
  return async (token) => {
    let limits: ClientLimits | undefined;
    const findClient = async (clientId: string) => {
      const found = await findClientRef(platform.db.pool, clientId);
      limits = found;
      return found?.client;
    };
    const actor = await verifyAccessToken(platform, token, findClient, (userId, reliedOn) =>
      stillHold(platform, userId, reliedOn),
    );
    if (actor.client !== undefined && limits === undefined)
      throw new AppError('INVALID_CREDENTIAL', 'The access token is not valid any more.');
    return { actor, client: limits };
  };
}
