import type { OriginKind, PageCaller } from '@latchkey/kernel';
import type { FastifyRequest } from 'fastify';
import type { ClientLimits } from './credentials.ts';
import type { Server, Visit } from './visit.ts';

/** The kind of caller, as far as its origin matters. */
export function pageCallerOf({ actor, client, isConsole }: Pick<Visit, 'actor' | 'client' | 'isConsole'>): PageCaller {
  if (isConsole) return 'console';
  if (client !== undefined) return applicationCaller(client);
  switch (actor.kind) {
    case 'anonymous':
      return 'anonymous';
    case 'admin':
      return 'operator';
    default:
      return 'person';
  }
}

export function applicationCaller({ allowedOrigins }: Pick<ClientLimits, 'allowedOrigins'>): PageCaller {
  return allowedOrigins.length === 0 ? 'open-application' : 'restricted-application';
}

/** Classifies the origin of a page relative to the caller. */
export async function originKindOf(
  { request, client }: Pick<Visit, 'request' | 'client'>,
  server: Pick<Server, 'services' | 'config' | 'credentials'>,
): Promise<OriginKind> {
  const { origin } = request.headers;
  if (origin === undefined) return 'none';
  if (client?.allowedOrigins.includes(origin)) return 'listed';
  if (isOwn(origin, request, server.services.settings.baseUrl)) return 'own';
  const { portalUrl } = server.config;
  if (portalUrl !== undefined && origin === new URL(portalUrl).origin) return 'portal';
  return (await server.credentials.isKnownOrigin(origin)) ? 'registered' : 'other';
}

/**
 * Whether a page has the origin of this server: the configured one, or the one that the browser requested, which a
 * tunnel or an extra host changes. Scheme, host and port must match. The host of the base URL has only one scheme, so
 * that a forged page on http://host is not mistaken for https://host where an untrusted proxy terminates TLS and
 * requests arrive without it.
 */
function isOwn(
  origin: string,
  { host, protocol }: Pick<FastifyRequest, 'host' | 'protocol'>,
  baseUrl: string,
): boolean {
  const base = new URL(baseUrl);
  if (origin === base.origin) return true;
  const request = URL.parse(`${protocol}://${host}`);
  return request !== null && request.host !== base.host && request.origin === origin;
}
