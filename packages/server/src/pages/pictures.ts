import { findPicture, picturesPath, type Services } from '@latchkey/core';
import { AppError } from '@latchkey/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const yearSeconds = 365 * 24 * 60 * 60;

/**
 * Serves pictures of communities. Their content is untrusted, so browsers must treat it as pictures only: with the real
 * type, without sniffing, and sandboxed as a document without scripts or an origin.
 */
export function addPictures(
  fastify: FastifyInstance,
  services: Services,
  limit: (request: FastifyRequest) => Promise<void>,
): void {
  fastify.get<{ Params: { digest: string } }>(`${picturesPath}:digest`, async (request, reply) => {
    const picture = await findPicture(services, request.params.digest, () => limit(request));
    if (picture === undefined) throw new AppError('ROUTE_NOT_FOUND', 'Picture not found.');
    return reply
      .headers({
        'cache-control': `public, max-age=${yearSeconds}, immutable`,
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
      })
      .type(picture.type)
      .send(picture.bytes);
  });
}
