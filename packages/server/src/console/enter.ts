import { contextFor, openConsoleSession } from '@latchkey/core';
import type { FastifyInstance } from 'fastify';
import type { HttpOptions } from '../http/http-options.ts';
import { isLoopbackName } from '../http/loopback.ts';
import { sendPage } from '../pages/index.ts';
import { browserOf } from './browser.ts';
import { type ConsoleTickets, ticketMinutes } from './tickets.ts';

/** Where the links of a first start lead, on this machine alone: each signs one browser in. */
export function addEntrance(
  fastify: FastifyInstance,
  { services }: HttpOptions['server'],
  tickets: ConsoleTickets,
): void {
  const { baseUrl } = services.settings;
  fastify.get<{ Params: { ticket: string } }>('/console/enter/:ticket', async (request, reply) => {
    const isHere = isLoopbackName(request.ip.replace(/^::ffff:/, '')) && isLoopbackName(new URL(baseUrl).hostname);
    const actor = isHere ? tickets.take(request.params.ticket) : undefined;
    if (actor === undefined)
      return sendPage(reply.code(404), {
        page: 'notice',
        title: 'This link has expired',
        text: `It worked once, for ${ticketMinutes} minutes. Sign in at ${baseUrl}/console, or start the server again for a new link.`,
      });
    const origin = { requestId: request.id, address: request.ip };
    const browser = browserOf(request, reply, baseUrl);
    await openConsoleSession(contextFor({ ...services, origin, browser }, actor));
    return reply.redirect(`${baseUrl}/console`);
  });
}
