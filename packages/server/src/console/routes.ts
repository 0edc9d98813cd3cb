import { offeredWays } from '@latchkey/core';
import { AppError, type ConsolePage } from '@latchkey/kernel';
import type { FastifyInstance } from 'fastify';
import type { HttpOptions } from '../http/http-options.ts';
import { assetsPath, sendPage } from '../pages/index.ts';
import { addEntrance } from './enter.ts';

/** Serves the console: one page for all of its addresses, which finds out by itself who is signed in. */
export function addConsole(
  fastify: FastifyInstance,
  { server, tickets }: Pick<HttpOptions, 'server' | 'tickets'>,
): void {
  const { services } = server;
  const page = (): ConsolePage => ({
    page: 'console',
    server: services.settings.serviceName,
    ways: ['wallet', 'passkey', ...offeredWays(services)],
  });
  if (tickets !== undefined) addEntrance(fastify, server, tickets);
  fastify.get('/console', async (_request, reply) => sendPage(reply, page()));
  fastify.get('/console/*', async (request, reply) => {
    if (request.url.startsWith(assetsPath)) throw new AppError('ROUTE_NOT_FOUND', 'File not found.');
    return sendPage(reply, page());
  });
}
