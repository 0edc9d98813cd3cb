import { createHash } from 'node:crypto';
import {
  beginPlatformLogin,
  chatVisitor,
  consentPage,
  contextFor,
  createConnectLink,
  describeMissing,
  type FinishedLogin,
  finishPlatformLogin,
  isOffered,
  type LoginRequester,
  loginTtlSeconds,
  notConfigured,
  offeredMethods,
  openConsoleSession,
} from '@latchkey/core';
import type { PlatformName } from '@latchkey/core/ports';
import {
  AppError,
  isPlatformName,
  type LoginPage,
  notFound,
  notSetUp,
  platformNames,
  type XReturnPage,
} from '@latchkey/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { browserOf, consolePath } from '../../console/index.ts';
import type { HttpOptions } from '../../http/http-options.ts';
import { networkOf } from '../../http/rate-limiter.ts';
import { readCookies } from '../../http/read-cookies.ts';
import { sendPage } from '../../pages/index.ts';
import type { FinishLogin } from '../finish-login.ts';
import { showProblems } from './show-problems.ts';

/** The authorization requests of applications that users sign in for. */
export interface LoginRequests {
  /** Returns the requesting application; undefined if this browser has no such request, or it has expired. */
  describe(request: FastifyRequest, reply: FastifyReply, slug: string): Promise<LoginRequester | undefined>;
  finish: FinishLogin;
}

/** Used instead of a request id: after this login the user connects wallets. */
const connectSlug = 'connect';
/**
 * Used instead of a request id: after this login the user goes to the account page, as links of earlier versions
 * expect.
 */
const accountSlug = 'account';
const accountPath = '/console/me';
/** Used instead of a request id: after this login the user returns to the console, at the path in `to`. */
const consoleSlug = 'console';

type Begin = FastifyRequest<{ Params: { slug: string; method: string }; Querystring: Record<string, unknown> }>;
type Visit = FastifyRequest<{ Querystring: Record<string, unknown> }>;
type Return = FastifyRequest<{ Params: { method: string }; Querystring: Record<string, unknown> }>;

/** Serves logins with chat platforms: for a request of an application, or to connect wallets. */
export function addPlatformLogins(
  fastify: FastifyInstance,
  { server }: Pick<HttpOptions, 'server'>,
  requests?: LoginRequests,
): void {
  const { services } = server;
  const { baseUrl, serviceName } = services.settings;
  const log = services.log.for('logins');
  const cookies = createBrowserCookies(baseUrl);
  const ownAsker: LoginRequester = { name: serviceName, host: new URL(baseUrl).host };

  fastify.get(
    '/connect',
    showProblems(log, async (_request, reply) => {
      const methods = offeredMethods(services);
      if (methods.length === 0) throw nothingConfigured();
      const client = { name: ownAsker.name, returnsTo: ownAsker.host };
      return sendPage(reply, { page: 'login', slug: connectSlug, client, isOwn: true, methods } satisfies LoginPage);
    }),
  );

  // Links of earlier versions lead here.
  fastify.get(
    '/account',
    showProblems(log, async (request, reply) =>
      reply.redirect(`${baseUrl}${accountPath}${new URL(request.url, baseUrl).search}`),
    ),
  );

  fastify.get(
    '/account/x',
    showProblems<Visit>(log, async (request, reply) => sendPage(reply, xReturnPage(textsOf(request.query)))),
  );

  fastify.get(
    '/login/:slug/with/:method',
    { exposeHeadRoute: false },
    showProblems<Begin>(log, async (request, reply) => {
      await limit(request);
      const { slug } = request.params;
      const method = requireMethod(request.params.method);
      const isOurs = slug === connectSlug || slug === accountSlug || slug === consoleSlug;
      const asker = isOurs ? ownAsker : await requests?.describe(request, reply, slug);
      if (asker === undefined) throw requestIsOver();
      const returnTo = slug === consoleSlug ? consolePath(textsOf(request.query)('to')) : undefined;
      const account = textsOf(request.query)('account');
      if (account !== undefined) await limitAccount(method, account);
      const begun = await beginPlatformLogin(services, { method, slug, asker, returnTo, account });
      cookies.set(request, reply, begun);
      return reply.redirect(begun.url);
    }),
  );

  fastify.get(
    '/login/return/:method',
    { exposeHeadRoute: false },
    showProblems<Return>(log, async (request, reply) => {
      await limit(request);
      const method = requireMethod(request.params.method);
      const text = textsOf(request.query);
      const state = text('state') ?? '';
      const page = consentPage(method, { state, code: text('code') });
      if (page !== undefined) return reply.redirect(`${baseUrl}${page}`);
      const browser = cookies.read(request, state);
      cookies.clear(reply, state);
      const { slug, user, returnTo } = await finishPlatformLogin(services, {
        ...{ method, state, browser },
        ...{ code: text('code'), error: text('error'), issuer: text('iss') },
      });
      if (slug === consoleSlug || slug === accountSlug) {
        await openConsoleSession(visitorContext(request, reply, user));
        return reply.redirect(`${baseUrl}${slug === accountSlug ? accountPath : consolePath(returnTo)}`);
      }
      if (slug !== connectSlug && requests !== undefined) return requests.finish(request, reply, slug, user);
      // The page that links wallets continues with the user's roles in the console.
      await openConsoleSession(visitorContext(request, reply, user));
      const system = contextFor(services, { kind: 'system', job: 'platform-logins' });
      const link = await createConnectLink(system, user, { withPasskeys: true });
      return reply.redirect(link.url);
    }),
  );

  /** The state of the login is bound to this browser, so that no other page can sign it in. */
  function visitorContext(request: FastifyRequest, reply: FastifyReply, user: FinishedLogin['user']) {
    const origin = { requestId: request.id, address: request.ip };
    const browser = browserOf(request, reply, baseUrl);
    return contextFor({ ...services, origin, browser }, chatVisitor(services, user));
  }

  function requireMethod(name: string): PlatformName {
    if (isOffered(services, name)) return name;
    throw isPlatformName(name) ? notConfigured(name, 'login') : notFound('way to log in on this server');
  }

  /** The bot writes to the person who is named, so nobody can make it write to one person again and again. */
  async function limitAccount(method: PlatformName, account: string): Promise<void> {
    const name = createHash('sha256').update(account.trim().toLowerCase()).digest('hex');
    const rule = { points: 5, durationSeconds: 600, bucket: `login:${method}:${name}` };
    const { allowed, retryAfterSeconds } = await server.limiter.take([rule]);
    if (!allowed)
      throw new AppError('RATE_LIMITED', 'Too many sign-ins with this account. Try again later.', {
        retryAfterSeconds,
      });
  }

  /** Each login is stored as a row until it expires. */
  async function limit(request: FastifyRequest): Promise<void> {
    const rule = { ...server.config.anonymousRate, bucket: `address:${networkOf(request.ip)}` };
    const { allowed, retryAfterSeconds } = await server.limiter.take([rule]);
    if (!allowed) throw new AppError('RATE_LIMITED', 'Too many requests. Try again shortly.', { retryAfterSeconds });
  }
}

function nothingConfigured(): AppError {
  return notSetUp(platformNames.map((platform) => describeMissing(platform, ['login'])).join(' '));
}

/** Passes X's response to the user's own page. Only its session can use it. */
function xReturnPage(text: (name: string) => string | undefined): XReturnPage {
  const [state, code] = [text('state'), text('code')];
  if (state === undefined || (code === undefined && text('error') === undefined)) return { page: 'x-return' };
  return { page: 'x-return', returned: { state, ...(code !== undefined && { code }) } };
}

/** A parameter that was sent twice is ignored. */
function textsOf(query: Record<string, unknown>): (name: string) => string | undefined {
  return (name) => {
    const value = query[name];
    return typeof value === 'string' && value.length <= 2048 ? value : undefined;
  };
}

function requestIsOver(): AppError {
  return new AppError(
    'ENTITY_NOT_FOUND',
    'This login has expired or was started in another browser. Go back to the application you came from and start again.',
  );
}

/** Enough for any user. Older ones are removed, so that the cookies of many attempts do not fill the headers. */
const mostAtOnce = 5;
const plainName = 'latchkey-login-';

/**
 * Cookies that bind each login to the browser that started it, one per login so that several tabs do not interfere.
 * With https their names start with __Host-, so that no other host of the same domain can plant one.
 */
function createBrowserCookies(baseUrl: string) {
  const isSecure = baseUrl.startsWith('https:');
  const prefix = `${isSecure ? '__Host-' : ''}${plainName}`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const nameOf = (state: string) => `${prefix}${state.slice(0, 8)}`;
  const forget = (reply: FastifyReply, name: string) => {
    reply.header('set-cookie', `${name}=; ${attributes}; Max-Age=0`);
  };
  return {
    set(request: FastifyRequest, reply: FastifyReply, { state, browser }: { state: string; browser: string }): void {
      const earlier = [...readCookies(request).keys()].filter((name) => name.startsWith(prefix));
      for (const name of earlier.slice(0, Math.max(0, earlier.length - mostAtOnce + 1))) forget(reply, name);
      reply.header('set-cookie', `${nameOf(state)}=${browser}; ${attributes}; Max-Age=${loginTtlSeconds}`);
    },
    /** Returns this browser's secret for a login; empty, which matches none, if it has none. */
    read: (request: FastifyRequest, state: string) => readCookies(request).get(nameOf(state)) ?? '',
    clear(reply: FastifyReply, state: string): void {
      if (/^\w{8,64}$/.test(state)) forget(reply, nameOf(state));
    },
  };
}
