import { isAddressListed } from '@latchkey/core';
import { AppError } from '@latchkey/kernel';
import type { FastifyRequest } from 'fastify';
import { isConsoleCall, sessionCookie } from '../../console/index.ts';
import type { ClientLimits, Verified } from '../credentials.ts';
import { isUnder } from '../is-under.ts';
import type { Server, Visit } from '../visit.ts';

/** Turns the credentials of a request into one actor. Public operations ignore credentials. */
export async function authenticate(visit: Visit, server: Server): Promise<void> {
  if (visit.operation.contract.access.roles.length === 0) return;
  const { request } = visit;
  if (request.headers['x-api-key'] === undefined && request.headers.authorization === undefined)
    return authenticateByCookie(visit, server);
  await chargingFailures(visit, server, async () => {
    const sent = credentialsOf(request);
    const key = await verifyApiKey(sent.key, request, server);
    const token = await verifyAuthorization(sent.authorization, request, server);
    const verified = combine(key, token);
    if (verified === undefined) return;
    visit.actor = verified.actor;
    visit.client = verified.client;
    if (verified.client !== undefined) checkClientLimits(verified.client, request);
  });
}

/** The console's cookie counts only if no other credential was sent, and only on requests from the console's pages. */
async function authenticateByCookie(visit: Visit, server: Server): Promise<void> {
  const { request, reply } = visit;
  const cookie = sessionCookie(server.services.settings.baseUrl);
  const secret = isConsoleCall(request) ? cookie.read(request) : undefined;
  if (secret === undefined) return;
  visit.isConsole = true;
  await chargingFailures(visit, server, async () => {
    try {
      visit.actor = (await server.credentials.consoleSession(secret, request, visit.isUse)).actor;
    } catch (error) {
      // Delete a cookie that is no longer valid.
      if (isRefused(error)) cookie.forget(reply);
      throw error;
    }
  });
}

/** Guessing is limited per address, because there is no caller to count it against. */
async function chargingFailures({ request }: Visit, server: Server, verify: () => Promise<void>): Promise<void> {
  try {
    await verify();
  } catch (error) {
    if (isRefused(error)) await server.limiter.chargeFailure(request.ip);
    throw error;
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof AppError && error.code === 'INVALID_CREDENTIAL';
}

interface SentCredentials {
  key?: string | string[] | undefined;
  authorization?: string | undefined;
}

/**
 * Clients that openapi-generator writes for Rust have one API key, and send it in the header of each scheme. Only a token
 * follows a word and a space.
 */
function credentialsOf({ headers: { 'x-api-key': key, authorization } }: FastifyRequest): SentCredentials {
  if (authorization === undefined || key !== authorization) return { key, authorization };
  return authorization.includes(' ') ? { authorization } : { key };
}

async function verifyApiKey(
  key: SentCredentials['key'],
  request: FastifyRequest,
  server: Server,
): Promise<Verified | undefined> {
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length > 256)
    throw new AppError('INVALID_CREDENTIAL', 'The x-api-key header is malformed.');
  return server.credentials.apiKey(key, request);
}

async function verifyAuthorization(
  header: string | undefined,
  request: FastifyRequest,
  server: Server,
): Promise<Verified | undefined> {
  if (header === undefined) return undefined;
  const [, word, value] = /^([A-Za-z0-9]{1,20}) +([\x21-\x7e]{1,8192})$/.exec(header) ?? [];
  const { authorization } = server.credentials;
  const name = word?.toLowerCase() ?? '';
  // Only own properties count: every object also has names such as constructor.
  const scheme = Object.hasOwn(authorization, name) ? authorization[name] : undefined;
  if (scheme === undefined || value === undefined) {
    throw new AppError(
      'INVALID_CREDENTIAL',
      'The Authorization header must be AE, Ethereum, Bearer or DPoP, followed by a space and a token.',
    );
  }
  // This scheme writes a nonce before it knows the caller, so guessing is refused before that. The others are verified
  // first: the holder of a valid credential is not locked out by guesses from the same address.
  if (name === 'ethereum') server.limiter.refuseBarred(request.ip);
  return scheme(value, request);
}

/** An API key may be sent with a token: the token then identifies the user, the key the application. */
function combine(key: Verified | undefined, token: Verified | undefined): Verified | undefined {
  if (token === undefined || key === undefined) return token ?? key;
  if (key.actor.kind === 'admin' || token.actor.kind === 'admin') return key.actor.kind === 'admin' ? key : token;
  const keyClient = key.actor.client;
  const tokenClient = token.actor.client;
  if (tokenClient !== undefined && keyClient?.id !== tokenClient.id) {
    throw new AppError('INVALID_CREDENTIAL', 'The API key and the token belong to different client applications.');
  }
  if (token.actor.kind !== 'user' || keyClient === undefined) return token;
  return { actor: { ...token.actor, client: keyClient }, client: key.client };
}

function checkClientLimits(client: ClientLimits, request: FastifyRequest): void {
  const { referer } = request.headers;
  const refused = (what: string) =>
    new AppError('CLIENT_NOT_ALLOWED', `This client application does not accept calls from this ${what}.`);
  if (
    client.allowedReferrers.length > 0 &&
    referer !== undefined &&
    !client.allowedReferrers.some((allowed) => isUnder(referer, allowed))
  ) {
    throw refused('referrer');
  }
  if (client.allowedIpAddresses.length > 0 && !isAddressListed(request.ip, client.allowedIpAddresses))
    throw refused('address');
}
