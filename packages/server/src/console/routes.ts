import { type Browser, contextFor, offeredMethods, openConsoleSession } from '@latchkey/core';
import { type Actor, AppError, type ConsolePage, mayCallFrom } from '@latchkey/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpOptions } from '../http/http-options.ts';
import { isLoopbackName } from '../http/loopback.ts';
import { originKindOf } from '../http/origins.ts';
import { readCookies } from '../http/read-cookies.ts';
import type { Server } from '../http/visit.ts';
import { assetsPath, consoleBuild, sendPage } from '../pages/index.ts';
import { type ConsoleTickets, ticketMinutes } from './tickets.ts';

/** Serves the console: one page for all of its paths, which itself finds out who is signed in. */
export function addConsole(
  fastify: FastifyInstance,
  { server, tickets }: Pick<HttpOptions, 'server' | 'tickets'>,
): void {
  const { services } = server;
  const page = (): ConsolePage => ({
    page: 'console',
    server: services.settings.serviceName,
    build: consoleBuild.page('console').script,
    methods: ['wallet', 'passkey', ...offeredMethods(services)],
  });
  // A tab that is older than the server offers to reload.
  fastify.addHook('onRequest', (request, reply, done) => {
    const build = isConsoleCall(request) ? findBuild() : undefined;
    if (build !== undefined) reply.header('x-latchkey-build', build);
    done();
  });
  if (tickets !== undefined) addEntrance(fastify, server, tickets);
  fastify.get('/console', async (_request, reply) => sendPage(reply, page()));
  fastify.get('/console/*', async (request, reply) => {
    if (request.url.startsWith(assetsPath)) throw new AppError('ROUTE_NOT_FOUND', 'File not found.');
    return sendPage(reply, page());
  });
}

/** Changes with every file of the console: the name of its script contains a hash of everything it loads. */
function findBuild(): string | undefined {
  try {
    return consoleBuild.page('console').script;
  } catch {
    // The API also works without a built console.
    return undefined;
  }
}

type Entry = FastifyRequest<{ Params: { ticket: string } }>;

/**
 * Serves the links of `npm start` and `latchkey open`, on this machine only: each signs one browser in. Opening a link
 * only shows a page with a button, since link previews, scanners and prefetching browsers open links too; submitting
 * the form consumes the link.
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
    const actor = isHere(request) ? await tickets.find(ticket) : undefined;
    if (actor === undefined) return sendExpired(reply);
    const action = `/console/enter/${encodeURIComponent(ticket)}`;
    // Browsers also apply form-action to the redirect that follows, and this page may be open under another local name.
    const formTargets = ["'self'", new URL(baseUrl).origin];
    return sendPage(reply, { page: 'enter', action, server: serviceName, name: nameOf(actor) }, formTargets);
  });

  fastify.post(path, async (request: Entry, reply) => {
    if (isFromElsewhere(request))
      return sendPage(reply.code(403), {
        page: 'notice',
        title: 'Open the link directly',
        text: 'Another site tried to sign you in. Nothing happened, and the link still works.',
      });
    const actor = isHere(request) ? await tickets.take(request.params.ticket) : undefined;
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
      text: `The link works once, for ${ticketMinutes} minutes. For a new one, run this on the server’s machine:`,
      command: 'npm run latchkey -- open',
      link: { url: `${baseUrl}/console`, text: 'Or sign in to the console' },
    });
  }
}

function nameOf(actor: Actor): string {
  if (actor.kind === 'admin') return 'the operator';
  return actor.kind === 'user' ? (actor.name ?? actor.userId) : actor.kind;
}

/** Returns the browser behind a request, as the console's verbs see it. */
export function browserOf(request: FastifyRequest, reply: FastifyReply, baseUrl: string): Browser {
  const cookie = sessionCookie(baseUrl);
  return {
    sessionSecret: cookie.read(request),
    keepSession: (secret, ttlSeconds) => cookie.keep(reply, secret, ttlSeconds),
    forgetSession: () => cookie.forget(reply),
  };
}

/** The same, if a page of the console sent the request. */
export async function findBrowser(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  server: Pick<Server, 'services' | 'config' | 'credentials'>,
): Promise<Browser | undefined> {
  if (!isConsoleCall(request) || isFromElsewhere(request)) return undefined;
  if (!mayCallFrom('console', await originKindOf({ request, client: undefined }, server))) return undefined;
  return browserOf(request, reply, server.services.settings.baseUrl);
}

/**
 * The session cookie of the console. With https its name starts with __Host-, so that no other host of the same domain
 * can plant one; over http, on a local machine, browsers refuse such a name.
 */
export function sessionCookie(baseUrl: string) {
  const isSecure = baseUrl.startsWith('https:');
  const name = isSecure ? '__Host-latchkey' : 'latchkey-session';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read: (request: Pick<FastifyRequest, 'headers'>) => readCookies(request).get(name),
    keep(reply: FastifyReply, secret: string, ttlSeconds: number): void {
      reply.header('set-cookie', `${name}=${secret}; ${attributes}; Max-Age=${ttlSeconds}`);
    },
    forget(reply: FastifyReply): void {
      reply.header('set-cookie', `${name}=; ${attributes}; Max-Age=0`);
    },
  };
}

/**
 * Whether a page of the console sent the request. Pages of other origins cannot send this header, because the preflight
 * response does not allow it (see `addPreflights`). The session cookie counts only together with it.
 */
export function isConsoleCall({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers['x-latchkey-console'] === '1';
}

/**
 * Whether the browser reports that a page of another origin sent the request. Browsers set this header, pages cannot.
 */
export function isFromElsewhere({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin';
}

const anyOrigin = 'http://console.invalid';

const home = '/console';

/**
 * Returns where a browser goes after signing in to the console: the requested path if it is one of the console's,
 * otherwise its first page. Parses the path as browsers do, so that no notation leads to another host.
 */
export function consolePath(requested: string | undefined): string {
  const url = URL.parse(requested ?? home, anyOrigin);
  if (url === null || url.origin !== anyOrigin) return home;
  const isOurs = url.pathname === home || url.pathname.startsWith(`${home}/`);
  return isOurs ? `${url.pathname}${url.search}${url.hash}` : home;
}
