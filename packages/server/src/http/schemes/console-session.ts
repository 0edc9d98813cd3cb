import { type Services, verifyConsoleSession } from '@latchkey/core';
import type { Credentials } from '../credentials.ts';

/**
 * The console's cookie, with a header that only pages of this server can send: an opaque secret, stored as its hash.
 */
export function consoleSessionScheme(services: Services): Credentials['consoleSession'] {
  return async (secret, { ip }, isUse) => ({ actor: await verifyConsoleSession(services, secret, ip, isUse) });
}
