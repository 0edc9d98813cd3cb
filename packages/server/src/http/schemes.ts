import {
  type EthereumWallets,
  findClientByApiKey,
  findClientRef,
  type Services,
  type StillHolds,
  stillHold,
  verifyAccessToken,
  verifyAdminKey,
  verifyAeToken,
  verifyConsoleSession,
  verifyEthereumHeader,
} from '@latchkey/core';
import { AppError } from '@latchkey/kernel';
import type { ClientLimits, Credentials, Scheme, Verified } from './credentials.ts';
import { verifyDpopProof } from './verify-dpop-proof.ts';

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

/**
 * The console's cookie, with a header that only pages of this server can send: an opaque secret, stored as its hash.
 */
export function consoleSessionScheme(services: Services): Credentials['consoleSession'] {
  return async (secret, { ip }, isUse) => ({ actor: await verifyConsoleSession(services, secret, ip, isUse) });
}

interface EthereumOptions extends EthereumWallets {
  isAllowed: boolean;
}

/**
 * `Authorization: Ethereum <token>`: a wallet's signature of this exact request, or of the published text. Both are off
 * unless the operator allows them.
 */
export function ethereumScheme(services: Services, { isAllowed, ...wallets }: EthereumOptions): Scheme {
  return async (token, { method, url: path }) => {
    if (!isAllowed)
      throw new AppError(
        'INVALID_CREDENTIAL',
        'This server does not accept the Ethereum header. Use another credential.',
      );
    return { actor: await verifyEthereumHeader(services, token, { method, path }, wallets) };
  };
}

/** `Authorization: Bearer <access token>`: looked up by its hash, together with the application it was issued to. */
export function oauth2Scheme(services: Services): Scheme {
  return (token) => verifyToken(services, token, undefined);
}

/** `Authorization: DPoP <access token>`: a token that is bound to a key, with a proof of that key (RFC 9449). */
export function dpopScheme(services: Services): Scheme {
  return async (token, { headers, method, url }) => {
    const proof = typeof headers.dpop === 'string' ? headers.dpop : '';
    const keyThumbprint = await verifyDpopProof(services, { proof, method, path: url, token });
    return verifyToken(services, token, keyThumbprint);
  };
}

async function verifyToken(services: Services, token: string, keyThumbprint: string | undefined): Promise<Verified> {
  let limits: ClientLimits | undefined;
  const findClient = async (clientId: string) => {
    const found = await findClientRef(services.db.pool, clientId);
    limits = found;
    return found?.client;
  };
  const stillHolds: StillHolds = (userId, reliedOn) => stillHold(services, userId, reliedOn);
  const actor = await verifyAccessToken(services, token, findClient, { stillHolds, keyThumbprint });
  if (actor.client !== undefined && limits === undefined)
    throw new AppError('INVALID_CREDENTIAL', 'The access token is no longer valid.');
  return { actor, client: limits };
}
