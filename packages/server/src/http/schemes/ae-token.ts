import { type Platform, verifyAeToken } from '@latchkey/core';
import type { Scheme } from '../credentials.ts';

/** `Authorization: AE <token>`: a signed token inside authenticated encryption, made by this server for one hour. */
export function aeTokenScheme(platform: Platform): Scheme {
  return async (token) => ({ actor: await verifyAeToken(platform, token) });
}
