import type { Browser } from '@latchkey/core';
import { mayCallFrom } from '@latchkey/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { originKindOf } from '../http/origins.ts';
import type { Server } from '../http/visit.ts';
import { isConsoleCall, isFromElsewhere } from './console-calls.ts';
import { sessionCookie } from './session-cookie.ts';

/** The browser behind a request, as the console's verbs see it. */
export function browserOf(request: FastifyRequest, reply: FastifyReply, baseUrl: string): Browser {
  const cookie = sessionCookie(baseUrl);
  return {
    sessionSecret: cookie.read(request),
    keepSession: (secret, ttlSeconds) => cookie.keep(reply, secret, ttlSeconds),
    forgetSession: () => cookie.forget(reply),
  };
}

/** The same, if it was a page of the console that made it ask. */
export async function findBrowser(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  server: Pick<Server, 'services' | 'config' | 'credentials'>,
): Promise<Browser | undefined> {
  if (!isConsoleCall(request) || isFromElsewhere(request)) return undefined;
  if (!mayCallFrom('console', await originKindOf({ request, client: undefined }, server))) return undefined;
  return browserOf(request, reply, server.services.settings.baseUrl);
}
