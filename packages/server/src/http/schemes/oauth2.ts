import { findClientRef, type Platform, verifyAccessToken } from '@latchkey/core';
import { AppError } from '@latchkey/kernel';
import type { ClientLimits, Scheme } from '../credentials.ts';

/** `Authorization: Bearer <access token>`: looked up by its hash, together with the application it was issued to. */
export function oauth2Scheme(platform: Platform): Scheme {
  return async (token) => {
    let limits: ClientLimits | undefined;
    const actor = await verifyAccessToken(platform, token, async (clientId) => {
      const found = await findClientRef(platform.db.pool, clientId);
      limits = found;
      return found?.client;
    });
    if (actor.client !== undefined && limits === undefined)
      throw new AppError('INVALID_CREDENTIAL', 'The access token is not valid any more.');
    return { actor, client: limits };
  };
}
