import type { Asker } from '@latchkey/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { compileOperation } from '../http/compile.ts';
import { openToPages } from '../http/cors.ts';
import { toAppError } from '../http/errors.ts';
import type { HttpOptions } from '../http/http-options.ts';
import { logFailure } from '../http/log-failure.ts';
import { sendPage } from '../pages/index.ts';
import { type CallbackInput, createCallback } from './callback.ts';
import { paths } from './configuration.ts';
import { createFinishLogin, switchAccount } from './finish-login.ts';
import { createGate } from './gate.ts';
import { handOver } from './hand-over.ts';
import { introspectPlainly } from './introspect-plainly.ts';
import type { LoginRequests } from './platform-logins/index.ts';
import { showProblems } from './platform-logins/show-problems.ts';
import { addPostedRequests } from './posted-requests.ts';
import { toProtocolAnswer } from './protocol-error.ts';
import { createProvider } from './provider.ts';
import { refuseLongState } from './refuse-long-state.ts';
import { openRequest, pageClientOf } from './requests.ts';
import { describeConsent, describeLogin } from './show-requests.ts';
import { keySynchronizer } from './sync-keys.ts';

type BySlug = FastifyRequest<{ Params: { slug: string } }>;

const callbackRoute = 'GET /oauth2/callback/{slug}';
const authorizeRoute = `GET ${paths.authorize}`;

/**
 * Serves OAuth2 and OpenID Connect, if they are among the resources. Answers with what other ways of logging in need to
 * finish a login.
 */
export function addOAuth(fastify: FastifyInstance, { server, resources }: HttpOptions): LoginRequests | undefined {
  const find = (wanted: string) =>
    resources.flatMap(({ operations }) => operations).find(({ route }) => route === wanted);
  const operation = find(callbackRoute);
  if (operation === undefined) return undefined;
  const { services } = server;
  const { baseUrl } = services.settings;
  const provider = createProvider(services);
  const callback = createCallback(provider, services);
  const log = services.log.for('oauth');
  const onRequest = createGate(server);
  const { readParams } = compileOperation(operation);
  const authorize = find(authorizeRoute);
  const checkState = authorize === undefined ? [] : [refuseLongState(authorize)];

  fastify.register(async (scope) => {
    // The provider reads bodies itself, and holds them to 56 KB.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.setErrorHandler((error, request, reply) => {
      const mapped = toAppError(error);
      if (mapped.status >= 500) logFailure(log, error, mapped, request);
      if (mapped.retryAfterSeconds !== undefined) reply.header('retry-after', mapped.retryAfterSeconds);
      const { status, ...answer } = toProtocolAnswer(mapped);
      return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(answer));
    });
    const hand = handOver(provider, server, keySynchronizer(provider, services));
    const forPages = [async (_request: FastifyRequest, reply: FastifyReply) => openToPages(reply), onRequest];
    for (const path of [paths.token, paths.revoke]) scope.post(path, { onRequest: forPages }, hand(path));
    const introspect = introspectPlainly(services);
    const introspectByProvider = hand(paths.introspect);
    scope.post(
      paths.introspect,
      { onRequest: forPages },
      async (request, reply) => (await introspect(request, reply)) ?? introspectByProvider(request, reply),
    );
    scope.route({
      method: ['GET', 'POST'],
      url: paths.userinfo,
      onRequest: forPages,
      handler: hand(paths.userinfo),
    });
    scope.get(paths.authorize, { onRequest: [onRequest, ...checkState] }, hand(paths.authorize));
    scope.route({ method: ['GET', 'POST'], url: paths.logout, onRequest, handler: hand(paths.logout) });
    scope.post(`${paths.logout}/confirm`, { onRequest }, hand(`${paths.logout}/confirm`));
    scope.get(`${paths.logout}/success`, { onRequest }, hand(`${paths.logout}/success`));
    scope.register(async (forms) => addPostedRequests(forms, { baseUrl, onRequest }));
    // Where a browser comes back to once the person has logged in or decided.
    scope.get<{ Params: { uid: string } }>(
      `${paths.authorize}/:uid`,
      { onRequest, exposeHeadRoute: false },
      (request, reply) => hand(`${paths.authorize}/${encodeURIComponent(request.params.uid)}`)(request, reply),
    );
  });

  fastify.get(
    '/oauth2/callback/:slug',
    { onRequest, exposeHeadRoute: false },
    forPeople(async (request, reply) => reply.redirect(await callback({ request, reply }, readInput(request)))),
  );

  fastify.get<{ Params: { slug: string } }>(
    '/login/:slug',
    { onRequest },
    showProblems<BySlug>(log, async (request, reply) => {
      const open = await openRequest(provider, services, request, reply, request.params.slug);
      if (open.interaction.prompt.name !== 'login') return reply.redirect(`${baseUrl}/consent/${open.slug}`);
      return sendPage(reply, describeLogin(services, open));
    }),
  );

  fastify.get<{ Params: { slug: string } }>(
    '/consent/:slug',
    { onRequest },
    showProblems<BySlug>(log, async (request, reply) => {
      const open = await openRequest(provider, services, request, reply, request.params.slug);
      if (open.interaction.prompt.name === 'login') return reply.redirect(`${baseUrl}/login/${open.slug}`);
      return sendPage(reply, await describeConsent(services, open));
    }),
  );

  // Nobody else can send a browser here to log it out: the slug belongs to a request of this very browser.
  fastify.get<{ Params: { slug: string } }>(
    '/consent/:slug/switch-account',
    { onRequest, exposeHeadRoute: false },
    showProblems<BySlug>(log, async (request, reply) => {
      const open = await openRequest(provider, services, request, reply, request.params.slug);
      return reply.redirect(await switchAccount(provider, open, { request, reply }));
    }),
  );

  return {
    describe: async (request, reply, slug) => {
      try {
        const { name, returnsTo } = pageClientOf(await openRequest(provider, services, request, reply, slug));
        return { name, host: returnsTo } satisfies Asker;
      } catch (error) {
        if (toAppError(error).code === 'ENTITY_NOT_FOUND') return undefined;
        throw error;
      }
    },
    finish: createFinishLogin(provider, services),
  };

  // The schema of the contract says that these are the fields.
  function readInput(request: FastifyRequest): CallbackInput {
    return readParams(request) as unknown as CallbackInput;
  }

  /** A page for browsers, the API's own form of errors for programs. */
  function forPeople(answer: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) {
    const shown = showProblems(log, answer);
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      if (wantsPage(request)) return shown(request, reply);
      return answer(request, reply);
    };
  }
}

function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') ?? false;
}
