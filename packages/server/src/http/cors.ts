import { AppError, type Operation, placeOf, type Resource } from '@latchkey/kernel';
import type { FastifyInstance, FastifyReply } from 'fastify';

const commonHeaders = [
  'authorization',
  'content-type',
  'idempotency-key',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'x-api-key',
  'x-request-id',
];
const exposedHeaders =
  'idempotent-replayed, latchkey-warnings, retry-after, www-authenticate, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-request-id';
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

/** Answers CORS preflights. They come without a credential, so all get the same response. */
export function addPreflights(fastify: FastifyInstance, resources: readonly Resource[]): void {
  const allowedHeaders = [...new Set([...commonHeaders, ...headersOf(resources)])].sort().join(', ');
  fastify.options('/*', async (request, reply) => {
    const { origin, 'access-control-request-method': method } = request.headers;
    if (origin === undefined || method === undefined) {
      throw new AppError(
        'ROUTE_NOT_FOUND',
        'OPTIONS is only answered to browsers that ask before a cross-origin request.',
      );
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
