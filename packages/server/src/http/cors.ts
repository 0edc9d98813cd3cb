import { AppError, isOpen } from '@latchkey/kernel';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ClientLimits } from './credentials.ts';
import type { Server, Visit } from './visit.ts';

const allowedHeaders = 'authorization, content-type, idempotency-key, x-api-key, x-near-signature, x-request-id';
const exposedHeaders =
  'idempotent-replayed, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-request-id';
const allowedMethods = 'GET, POST, PUT, PATCH, DELETE';

/**
 * A browser asks first, without any credential: the answer can only say whether some approved client application lists
 * the origin. The request that follows carries the key, and is held to the list of its own application. The portal may
 * read every answer, refusals too, so that its console can tell people why: it sends only what they typed into it.
 */
export function addCors(fastify: FastifyInstance, server: Server): void {
  const { portalUrl } = server.config;
  const portalOrigin = portalUrl === undefined ? undefined : new URL(portalUrl).origin;

  fastify.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (origin !== undefined && origin === portalOrigin) openTo(reply, origin);
    done();
  });

  fastify.options('/*', async (request, reply) => {
    const { origin } = request.headers;
    if (origin === undefined || request.headers['access-control-request-method'] === undefined) {
      throw new AppError(
        'ROUTE_NOT_FOUND',
        'OPTIONS is only answered to browsers that ask before a cross-origin request.',
      );
    }
    reply.header('vary', 'origin');
    if (origin === portalOrigin || (await server.credentials.isKnownOrigin(origin))) {
      reply.headers({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': allowedMethods,
        'access-control-allow-headers': allowedHeaders,
        'access-control-max-age': '600',
      });
    }
    return reply.code(204).send();
  });
}

/** Lets the page at the request's origin read the answer, if it may. */
export function allowOrigin({ request, reply, operation, client }: Visit): void {
  const { origin } = request.headers;
  if (isOpen(operation.contract.access)) openToAll(reply);
  else if (origin !== undefined) openToListed(reply, origin, client);
}

function openToListed(reply: FastifyReply, origin: string, client: ClientLimits | undefined): void {
  reply.header('vary', 'origin');
  if (client?.allowedOrigins.includes(origin)) openTo(reply, origin);
}

function openTo(reply: FastifyReply, origin: string): void {
  reply.headers({
    vary: 'origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposedHeaders,
  });
}

/** For answers that hold nothing but public facts. */
export function openToAll(reply: FastifyReply): void {
  reply.headers({ 'access-control-allow-origin': '*', 'access-control-expose-headers': exposedHeaders });
}
