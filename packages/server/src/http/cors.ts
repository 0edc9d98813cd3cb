import { type Operation, placeOf, type Resource } from '@latchkey/kernel';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type AllowedMethods, everyPath } from './allowed-methods.ts';
import { routeNotFound } from './errors.ts';

const commonHeaders = [
  'authorization',
  'content-type',
  'dpop',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'x-api-key',
  'x-request-id',
];
const exposedHeaders =
  'allow, deprecation, dpop-nonce, etag, idempotent-replayed, latchkey-warnings, link, ratelimit, ratelimit-policy, retry-after, sunset, www-authenticate, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-request-id';
const allowedMethods = 'GET, POST, PUT, PATCH, DELETE';

/**
 * Every page may read every API response, including errors. The wildcard makes that safe: browsers send no cookies with
 * such a request and block the response to one that has any, so a page only gets what its own headers authorize.
 * `callingPages` decides on which pages a credential may be used.
 */
export const readableByPages: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders,
};

export function openToPages(reply: FastifyReply): void {
  reply.headers(readableByPages);
}

/**
 * Answers OPTIONS: CORS preflights, which come without a credential, so that all get the same response, and questions
 * about the methods of a path (RFC 9110, 9.3.7).
 */
export function addPreflights(
  fastify: FastifyInstance,
  resources: readonly Resource[],
  allowedMethodsOf: AllowedMethods,
): void {
  const allowedHeaders = [...new Set([...commonHeaders, ...headersOf(resources)])].sort().join(', ');
  fastify.options(everyPath, async (request, reply) => {
    const { origin, 'access-control-request-method': method } = request.headers;
    if (origin === undefined || method === undefined) {
      const methods = allowedMethodsOf(request.url);
      openToPages(reply);
      if (methods.length === 0) throw routeNotFound();
      return reply.code(204).header('allow', methods.join(', ')).send();
    }
    return reply
      .code(204)
      .headers({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': allowedMethods,
        'access-control-allow-headers': allowedHeaders,
        'access-control-max-age': '600',
      })
      .send();
  });
}

/** The headers that operations read as parameters. */
function headersOf(resources: readonly Resource[]): string[] {
  const headersOfOne = (operation: Operation) =>
    Object.entries(operation.params).flatMap(([name, schema]) =>
      placeOf(operation, name, schema) === 'header' ? [name.toLowerCase()] : [],
    );
  return resources.flatMap(({ operations }) => operations).flatMap(headersOfOne);
}
