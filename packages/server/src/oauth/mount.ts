import type { IncomingMessage } from 'node:http';
import {
  clientSigningAlgs,
  currentKey,
  describeProvider,
  introspectOwnToken,
  type LoginRequester,
  listPublicKeys,
  messagesIn,
  type OwnTokenQuestion,
  publicJwk,
  type Services,
  signingAlgs,
} from '@latchkey/core';
import { AppError, type Operation } from '@latchkey/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type Provider from 'oidc-provider';
import instance from 'oidc-provider/lib/helpers/weak_cache.js';
import { compileOperation } from '../http/compile.ts';
import { openToPages } from '../http/cors.ts';
import { toAppError } from '../http/errors.ts';
import type { HttpOptions } from '../http/http-options.ts';
import { localeOf } from '../http/locale-of.ts';
import { logFailure } from '../http/log-failure.ts';
import { limitRate } from '../http/steps/limit-rate.ts';
import type { Server } from '../http/visit.ts';
import { sendPage } from '../pages/index.ts';
import { type CallbackInput, createCallback } from './callback.ts';
import { paths } from './configuration.ts';
import { describeConsent, describeLogin, uiLocalesOf } from './describe-pages.ts';
import { createFinishLogin, switchAccount } from './finish-login.ts';
import type { LoginRequests } from './platform-logins/index.ts';
import { showProblems } from './platform-logins/show-problems.ts';
import { toProtocolAnswer } from './protocol-error.ts';
import { createProvider } from './provider.ts';
import { addRegistration } from './registration.ts';
import { problemOf, shownPageOf } from './render-pages.ts';
import { openRequest, pageClientOf } from './requests.ts';

type BySlug = FastifyRequest<{ Params: { slug: string } }>;

const callbackRoute = 'GET /oauth2/callback/{slug}';
const authorizeRoute = `GET ${paths.authorize}`;

/**
 * Serves OAuth2 and OpenID Connect, if they are among the resources. Returns what other login methods need to finish a
 * login.
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
    // The provider parses bodies itself, and limits them to 56 KB.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.setErrorHandler((error, request, reply) => {
      const mapped = toAppError(error);
      if (mapped.status >= 500) logFailure(log, error, mapped, request);
      if (mapped.retryAfterSeconds !== undefined) reply.header('retry-after', mapped.retryAfterSeconds);
      const { status, ...answer } = toProtocolAnswer(mapped);
      return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(answer));
    });
    const describe = async (_request: FastifyRequest, reply: FastifyReply, about: object) =>
      reply.type('application/json; charset=utf-8').send(JSON.stringify(about));
    const hand = handoff(provider, server, keySynchronizer(provider, services));
    const forPages = [async (_request: FastifyRequest, reply: FastifyReply) => openToPages(reply), onRequest];
    for (const path of [paths.token, paths.revoke, paths.push]) scope.post(path, { onRequest: forPages }, hand(path));
    // RFC 8414 and RFC 9728: the same metadata under the names that OAuth clients without OpenID Connect look for.
    scope.get('/.well-known/oauth-authorization-server', { onRequest: forPages }, (request, reply) =>
      describe(request, reply, describeProvider({ settings: services.settings, resources })),
    );
    scope.get('/.well-known/oauth-protected-resource', { onRequest: forPages }, (request, reply) =>
      describe(request, reply, describeApi(services)),
    );
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
    scope.get(paths.logout, { onRequest }, hand(paths.logout));
    scope.post(`${paths.logout}/confirm`, { onRequest }, hand(`${paths.logout}/confirm`));
    scope.get(`${paths.logout}/success`, { onRequest }, hand(`${paths.logout}/success`));
    scope.register(async (inner) => addRegistration(inner, { services, onRequest: forPages }));
    scope.register(async (forms) => addPostedRequests(forms, { baseUrl, onRequest }));
    // Where a browser returns once the user has signed in or decided.
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
      return sendPage(reply, describeLogin(services, open), [], uiLocalesOf(open));
    }),
  );

  fastify.get<{ Params: { slug: string } }>(
    '/consent/:slug',
    { onRequest },
    showProblems<BySlug>(log, async (request, reply) => {
      const open = await openRequest(provider, services, request, reply, request.params.slug);
      if (open.interaction.prompt.name === 'login') return reply.redirect(`${baseUrl}/login/${open.slug}`);
      const wanted = uiLocalesOf(open);
      const requested = { ...services, locale: localeOf(request, wanted) };
      return sendPage(reply, await describeConsent(requested, open), [], wanted);
    }),
  );

  // No other site can send a browser here to sign it out: the slug belongs to a request of this browser.
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
        return { name, host: returnsTo } satisfies LoginRequester;
      } catch (error) {
        if (toAppError(error).code === 'ENTITY_NOT_FOUND') return undefined;
        throw error;
      }
    },
    finish: createFinishLogin(provider, services),
  };

  // The contract's schema guarantees these fields.
  function readInput(request: FastifyRequest): CallbackInput {
    return readParams(request) as unknown as CallbackInput;
  }

  /** Shows a page to browsers, and the API's error shape to other clients. */
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

/**
 * Rate-limits a request before anything else. By address, even for applications: the caller is known only once their
 * secret was compared, and the limit is meant for guessing.
 */
function createGate(server: Server): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return (request, reply) => limitRate({ actor: { kind: 'anonymous' }, client: undefined, request, reply }, server);
}

/**
 * Refuses a state that is longer than the contract allows. The provider would echo any length, in URLs and responses;
 * it limits all other parameters itself.
 */
function refuseLongState({ params }: Pick<Operation, 'params'>): (request: FastifyRequest) => Promise<void> {
  const { maxLength } = (params.state ?? {}) as { maxLength?: number };
  if (maxLength === undefined) throw new Error('The contract does not define a maximum length for state.');
  return async ({ query }) => {
    const { state = '' } = query as { state?: string | string[] };
    if (state.length <= maxLength) return;
    const message = `The parameter state must have at most ${maxLength} characters.`;
    throw new AppError('INVALID_PARAMETER_VALUE', message);
  };
}

const form = 'application/x-www-form-urlencoded';
/** As much as a URL can carry. */
const maxFormBytes = 8192;

/**
 * Accepts authorization and logout requests as a form, which OpenID Connect Core 3.1.2.1 and RP-Initiated Logout 2
 * require. The browser is redirected to the same request as a URL, because a form of another site arrives without this
 * server's cookies.
 */
function addPostedRequests(
  fastify: FastifyInstance,
  { baseUrl, onRequest }: { baseUrl: string; onRequest: onRequestAsyncHookHandler },
): void {
  fastify.addContentTypeParser(form, { parseAs: 'string', bodyLimit: maxFormBytes }, (_request, body, done) =>
    done(null, body),
  );
  for (const path of [paths.authorize, paths.logout])
    fastify.post(path, { onRequest }, async ({ body }, reply) => {
      if (typeof body !== 'string') throw new AppError('UNSUPPORTED_MEDIA_TYPE', `Send the request as ${form}.`);
      return reply.redirect(`${baseUrl}${path}?${new URLSearchParams(body)}`, 303);
    });
}

/**
 * Loads the signing keys from the database into the provider: the current one to sign, and retired ones to recognize
 * its own id tokens. Runs before every request, so that a rotation takes effect without a restart.
 */
function keySynchronizer(provider: Provider, services: Services): () => Promise<void> {
  let known = '';
  const { keystore } = instance(provider);
  const purposes = { ES256: 'jwt', RS256: 'jwt-rs256' } as const;
  return async () => {
    const sets = await Promise.all(
      signingAlgs.map(async (alg) => ({
        alg,
        current: await currentKey(services, purposes[alg]),
        published: await listPublicKeys(services, purposes[alg]),
      })),
    );
    const wanted = sets.flatMap(({ current, published }) => [current, ...published].map(({ kid }) => kid)).join(' ');
    if (wanted === known) return;
    // No await from here on, so that no request sees a partial keystore.
    keystore.clear();
    for (const { alg, current, published } of sets) {
      const common = { alg, use: 'sig' };
      keystore.add({ ...current.privateKey.export({ format: 'jwk' }), ...common, kid: current.kid });
      for (const { kid, publicKey } of published.filter((key) => key.kid !== current.kid))
        keystore.add({ ...publicJwk(publicKey), ...common, kid, key_ops: ['verify'] });
    }
    known = wanted;
  };
}

/** The metadata of the API as a protected resource (RFC 9728). */
function describeApi({ settings: { baseUrl, serviceName } }: Services) {
  return {
    resource: baseUrl,
    resource_name: serviceName,
    authorization_servers: [baseUrl],
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: clientSigningAlgs,
  };
}

const basic = /^Basic ([A-Za-z0-9+/]{1,512}={0,2})$/i;
// Nothing in it needs decoding, so that there is only one way to read it.
const credentials = /^([0-9A-Za-z_-]{1,64}):([0-9A-Za-z_-]{1,128})$/;
const question = /^token=(lk_at_[A-Za-z0-9_-]{43})(?:&token_type_hint=access_token)?$/;
const formType = /^application\/x-www-form-urlencoded(?:; ?charset=utf-8)?$/i;
/** Headers that make the provider see another caller or another credential. */
const otherHeaders = [
  'origin',
  'dpop',
  'oauth-client-attestation',
  'oauth-client-attestation-pop',
  'transfer-encoding',
];

/**
 * A fast path for the introspection of an application's own token, which programs call on each of their requests.
 * Returns undefined for every other request, which is left unread for the provider. Through the provider, the same
 * request takes twice the CPU time (`npm run bench -- oauth`: 0.75 to 0.35 of bare node:http).
 */
function introspectPlainly(
  services: Services,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined> {
  return async (request, reply) => {
    const requested = readPlainly(request);
    const report = requested && (await introspectOwnToken(services, requested));
    if (report === undefined) return undefined;
    request.raw.resume();
    reply.header('vary', 'Origin');
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(report));
  };
}

function readPlainly({ headers, raw }: FastifyRequest): OwnTokenQuestion | undefined {
  if (otherHeaders.some((name) => headers[name] !== undefined) || raw.url?.includes('?') === true) return undefined;
  if (!formType.test(headers['content-type'] ?? '')) return undefined;
  const [, encoded] = basic.exec(headers.authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [, clientId, clientSecret] = credentials.exec(Buffer.from(encoded, 'base64').toString('latin1')) ?? [];
  const [, token] = question.exec(peekBody(raw, Number(headers['content-length'])) ?? '') ?? [];
  if (clientId === undefined || clientSecret === undefined || token === undefined) return undefined;
  return { clientId, clientSecret, token };
}

/** Returns the body, if all of it has arrived. It stays unread for the next reader. */
function peekBody(raw: IncomingMessage, length: number): string | undefined {
  const chunk: unknown = raw.read();
  if (!Buffer.isBuffer(chunk)) return undefined;
  raw.unshift(chunk);
  return chunk.length === length ? chunk.toString('latin1') : undefined;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Passes requests for a path to the provider, and renders its errors. */
function handoff(
  provider: Provider,
  { services }: Pick<Server, 'services'>,
  prepare: () => Promise<void>,
): (path: string) => Handler {
  const answer = provider.callback();
  const { protocol, host, pathname } = new URL(services.settings.baseUrl);
  const prefix = pathname.replace(/\/$/, '');

  return (path) => async (request, reply) => {
    await prepare();
    const { raw } = request;
    // Overwrite what the request claims about our own address.
    Object.assign(raw.headers, { host, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) });
    raw.url = path + (/\?.*$/s.exec(raw.url ?? '')?.[0] ?? '');
    // The provider derives its mount path from the difference of the two.
    Object.assign(raw, { originalUrl: prefix + raw.url });
    // The provider checks a page's origin only if no CORS header is set yet.
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined && !name.startsWith('access-control-')) reply.raw.setHeader(name, value);
    await answer(raw, reply.raw);
    const problem = problemOf(raw);
    const shown = shownPageOf(raw);
    if (shown !== undefined) return showPage(reply, shown);
    if (problem === undefined) return reply.hijack();
    return showProblem(request, reply, problem);
  };
}

function showProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, out }: NonNullable<ReturnType<typeof problemOf>>,
): FastifyReply {
  reply.code(status);
  if (request.headers.accept?.includes('text/html') !== true)
    return reply.type('application/json; charset=utf-8').send(out);
  const say = messagesIn(localeOf(request));
  return sendPage(reply, {
    page: 'notice',
    title: say('refused.title'),
    text: say('refused.text', { reason: out.error_description ?? out.error }),
  });
}

/** Keeps headers that the provider has set, such as its cookie, on our page. */
function showPage(
  reply: FastifyReply,
  { data, formTarget }: NonNullable<ReturnType<typeof shownPageOf>>,
): FastifyReply {
  for (const [name, value] of Object.entries(reply.raw.getHeaders()))
    if (name === 'set-cookie' && value !== undefined) reply.header(name, value);
  return sendPage(reply.code(200), data, ["'self'", ...(formTarget === undefined ? [] : [formTarget])]);
}
