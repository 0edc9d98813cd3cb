import { type InteractionRequest, interactionsRoute, serveInteraction } from '@latchkey/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { HttpOptions } from './http-options.ts';

/** Where Discord posts what people do with the bot. Served only where the key that Discord signs with is known. */
export function addDiscordInteractions(fastify: FastifyInstance, { server, verifyInteraction }: HttpOptions): void {
  if (verifyInteraction === undefined) return;
  fastify.route({
    method: interactionsRoute.method,
    url: interactionsRoute.path,
    bodyLimit: interactionsRoute.maxBodyBytes,
    handler: async (request, reply) => {
      const body = await serveInteraction(server.services, verifyInteraction, asArrived(request));
      return reply.code(200).type('application/json; charset=utf-8').send(JSON.stringify(body));
    },
  });
}

function asArrived({ headers, body }: FastifyRequest): InteractionRequest {
  const text = (name: string) => (typeof headers[name] === 'string' ? headers[name] : undefined);
  return {
    signature: text('x-signature-ed25519'),
    timestamp: text('x-signature-timestamp'),
    rawBody: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  };
}
