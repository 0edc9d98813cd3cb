import { didDocument } from '@latchkey/core';
import { AppError, apiVersion, describeApi } from '@latchkey/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { latchkeyVersion } from '../version.ts';
import { openToPages } from './cors.ts';
import type { HttpOptions } from './http-options.ts';

/** What is served beside the operations: the description of the API, health for machines, figures for the operator. */
export function addPlainRoutes(fastify: FastifyInstance, { server, resources, metrics, isReady }: HttpOptions): void {
  const { baseUrl } = server.services.settings;
  let description: string | undefined;

  fastify.get('/openapi.json', async (_request, reply) => {
    openToPages(reply);
    description ??= JSON.stringify(describeApi(resources, { serverUrl: baseUrl }));
    return reply.type('application/json; charset=utf-8').send(description);
  });

  fastify.get('/', async (_request, reply) => {
    openToPages(reply);
    const welcome = {
      name: 'Latchkey',
      version: apiVersion,
      description: `${baseUrl}/openapi.json`,
      health: `${baseUrl}/health/ready`,
    };
    return reply.type('application/json; charset=utf-8').send(`${JSON.stringify(welcome, undefined, 2)}\n`);
  });

  // Where did:web looks: at the well-known place, and below the base URL where that has a path.
  for (const path of ['/.well-known/did.json', '/did.json']) {
    fastify.get(path, async (_request, reply) => {
      openToPages(reply);
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(await didDocument(server.services)));
    });
  }

  fastify.get('/health/live', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify({ status: 'live', version: latchkeyVersion })),
  );

  fastify.get('/health/ready', async (_request, reply) => {
    if (!(await isReady()))
      throw new AppError('UNAVAILABLE', 'This process is not ready to take requests.', { retryAfterSeconds: 2 });
    return reply.type('application/json; charset=utf-8').send('{"status":"ready"}');
  });

  fastify.get('/metrics', async (request, reply) => {
    await requireAdmin(request);
    return reply.type(metrics.contentType).send(await metrics.read());
  });

  // Figures tell an attacker when to come: they are for the operator's own collector.
  async function requireAdmin(request: FastifyRequest): Promise<void> {
    const bearer = /^Bearer +(\S{1,256})$/i.exec(request.headers.authorization ?? '')?.[1];
    const key = bearer ?? request.headers['x-api-key'];
    if (typeof key !== 'string')
      throw new AppError('AUTHENTICATION_REQUIRED', 'Send the operator’s key as x-api-key or as a Bearer token.');
    const { actor } = await server.credentials.apiKey(key, request);
    if (actor.kind !== 'admin') throw new AppError('ROLE_NOT_ALLOWED', 'The metrics are for the operator.');
  }
}
