import { contextFor, openConsoleSession } from '@latchkey/core';
import type { Actor } from '@latchkey/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpOptions } from '../http/http-options.ts';
import { isLoopbackName } from '../http/loopback.ts';
import { sendPage } from '../pages/index.ts';
import { browserOf } from './browser.ts';
import { isFromElsewhere } from './console-calls.ts';
import { type ConsoleTickets, ticketMinutes } from './tickets.ts';

type Entry = FastifyRequest<{ Params: { ticket: string } }>;

/**
 * Where the links of a first start lead, on this machine alone: each signs one browser in. Opening a link only shows a page with a
 * button, since link previews, scanners and prefetching browsers open links too; the form behind the button uses the link up.
 */
export function addEntrance(
  fastify: FastifyInstance,
  { services }: HttpOptions['server'],
  tickets: ConsoleTickets,
): void {
  const { baseUrl, serviceName } = services.settings;
  const path = '/console/enter/:ticket';

  fastify.get(path, async (request: Entry, reply) => {
    const { ticket } = request.params;
    const actor = isHere(request) ? tickets.find(ticket) : undefined;
    if (actor === undefined) return sendExpired(reply);
    const action = `/console/enter/${encodeURIComponent(ticket)}`;
    // Browsers apply form-action to the redirect that follows too, and this page may be open under another local name.
    const formTargets = ["'self'", new URL(baseUrl).origin];
    return sendPage(reply, { page: 'enter', action, server: serviceName, name: nameOf(actor) }, formTargets);
  });

  fastify.post(path, async (request: Entry, reply) => {
    if (isFromElsewhere(request))
      return sendPage(reply.code(403), {
        page: 'notice',
        title: 'Open the link itself',
        text: 'Another site tried to sign you in. Nothing happened, and the link still works.',
      });
    const actor = isHere(request) ? tickets.take(request.params.ticket) : undefined;
    if (actor === undefined) return sendExpired(reply);
    const origin = { requestId: request.id, address: request.ip };
    const browser = browserOf(request, reply, baseUrl);
    await openConsoleSession(contextFor({ ...services, origin, browser }, actor));
    return reply.redirect(`${baseUrl}/console`, 303);
  });

  function isHere({ ip }: Entry): boolean {
    return isLoopbackName(ip.replace(/^::ffff:/, '')) && isLoopbackName(new URL(baseUrl).hostname);
  }

  function sendExpired(reply: FastifyReply): FastifyReply {
    return sendPage(reply.code(404), {
      page: 'notice',
      title: 'This link has expired',
      text: `It worked once, for ${ticketMinutes} minutes. Sign in at ${baseUrl}/console, or start the server again for a new link.`,
    });
  }
}

function nameOf(actor: Actor): string {
  if (actor.kind === 'admin') return 'the operator';
  return actor.kind === 'user' ? (actor.name ?? actor.userId) : actor.kind;
}
