import type { IncomingMessage } from 'node:http';
import { isIP, Server as SocketServer } from 'node:net';
import {
  clientSigningAlgs,
  didDocument,
  type InteractionRequest,
  interactionsRoute,
  serveInteraction,
  telegramRoute,
} from '@latchkey/core';
import { areTracesOn, openSpan, runFrom, type Span, type SpanStart } from '@latchkey/db/origin';
import { AppError, apiVersion, observed } from '@latchkey/kernel';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { addConsole } from '../console/index.ts';
import { createLiveStreams, eventHeaders } from '../live/index.ts';
import { addMcp } from '../mcp/index.ts';
import { addOAuth } from '../oauth/mount.ts';
import { addPlatformLogins } from '../oauth/platform-logins/index.ts';
import { addPages } from '../pages/index.ts';
import { latchkeyVersion } from '../version.ts';
import { type AllowedMethods, noteMethods } from './allowed-methods.ts';
import { addApiDescriptions } from './api-descriptions.ts';
import { addPreflights, openToPages, readableByPages } from './cors.ts';
import { methodNotAllowed, routeNotFound, toAppError, writeError } from './errors.ts';
import type { HttpOptions } from './http-options.ts';
import { logFailure } from './log-failure.ts';
import { isLoopbackName } from './loopback.ts';
import { varyByAccept } from './negotiate.ts';
import { addOperations, checkMounted, visitOf } from './operations.ts';
import { answerBrokenRequest, noteAnswers, refuseTunnels } from './raw-errors.ts';

const maxBodyBytes = 1024 * 1024;
/** How long a connection may stay idle during shutdown, as a share of the grace period, and the upper limit. */
const idleShare = 1 / 7;
const longestIdleMs = 1_000;

export interface HttpServer {
  fastify: FastifyInstance;
  /** Refuses new connections, lets running requests finish, and closes the rest when the time is up. */
  drain(graceMs: number): Promise<void>;
}

export function createHttpServer(options: HttpOptions): HttpServer {
  const { server, metrics, callLog } = options;
  const { random } = server.services;
  const log = server.services.log.for('http');
  const refuseHost = createHostCheck({
    baseUrl: server.services.settings.baseUrl,
    extraHosts: options.config.extraHosts,
  });
  const streams = createLiveStreams(server);
  let draining = false;
  const fastify = Fastify({
    logger: false,
    // Node would itself refuse a request without a host, and not in our error shape.
    http: { requireHostHeader: false },
    bodyLimit: maxBodyBytes,
    requestTimeout: 30_000,
    connectionTimeout: 0,
    keepAliveTimeout: 65_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    trustProxy: options.config.trustedProxies.length > 0 ? options.config.trustedProxies : false,
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true },
    genReqId: (request) => acceptRequestId(request.headers['x-request-id']) ?? random.id(21),
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, rawErrors),
    frameworkErrors: (error, { id, headers }, reply) => {
      const mapped = toAppError(error);
      const { type, body } = writeError(mapped, { accept: headers.accept, requestId: id });
      reply.raw.writeHead(mapped.status, {
        ...securityHeaders,
        ...readableByPages,
        'x-request-id': id,
        'content-type': type,
        vary: 'accept',
      });
      reply.raw.end(body);
    },
  });
  const allowedMethodsOf = noteMethods(fastify);
  const rawErrors = { log, allowedMethodsOf, headers: securityHeaders, newRequestId: () => random.id(21) };
  fastify.server.headersTimeout = 10_000;
  noteAnswers(fastify.server);
  refuseTunnels(fastify.server, rawErrors);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  followRequests(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders).header('x-request-id', request.id);
    const isNameless = request.raw.httpVersion === '1.1' && request.headers.host === undefined;
    done(isNameless ? new AppError('MISSING_REQUIRED_PARAMETER', 'Send a Host header.') : refuseHost(request));
  });
  // Unknown expectations are ignored (RFC 9110 10.1.1); Node's own refusal has no body.
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response));
  fastify.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (draining) reply.header('connection', 'close');
    // A redirect is not a page: an application that signs users in with a popup keeps its reference to the window.
    const isShown = reply.statusCode < 300 || reply.statusCode >= 400;
    if (isShown && !reply.hasHeader(openerPolicy)) reply.header(openerPolicy, 'same-origin');
    const isLast = !reply.raw.shouldKeepAlive || reply.getHeader('connection') === 'close';
    if (isLast && !raw.complete && !raw.destroyed) readOut(raw, maxBodyBytes, done);
    else done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    // The route's pattern, not the URL: paths and queries can carry slugs, states and tokens.
    const route = request.routeOptions.url ?? 'unknown';
    // How long a client stayed subscribed says nothing about how fast a response was.
    const isStream = reply.getHeader('content-type') === eventHeaders['content-type'];
    metrics.countRequest(request.method, route, reply.statusCode, isStream ? undefined : reply.elapsedTime);
    const visit = visitOf(request);
    if (visit !== undefined) callLog?.note(visit, reply.elapsedTime);
    log.debug('Request answered.', {
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      requestId: request.id,
    });
    done();
  });
  fastify.addHook('onClose', () => callLog?.close());
  fastify.addHook('onClose', async () => metrics.close());
  fastify.setNotFoundHandler(() => {
    throw routeNotFound();
  });
  fastify.setErrorHandler((error, request, reply) => {
    const mapped = toAppError(error);
    const visit = visitOf(request);
    if (visit !== undefined) visit.errorCode = mapped.code;
    observed.refusal.record({ code: mapped.code });
    if (mapped.status >= 500) logFailure(log, error, mapped, request);
    if (mapped.retryAfterSeconds !== undefined) reply.header('retry-after', mapped.retryAfterSeconds);
    if (mapped.status === 401)
      reply.header('www-authenticate', challengeFor(request, server.services.settings.baseUrl));
    const { type, body } = writeError(mapped, { accept: request.headers.accept, requestId: request.id });
    varyByAccept(reply);
    reply.code(mapped.status).type(type).send(body);
  });

  addPreflights(fastify, options.resources, allowedMethodsOf);
  // Runs before the framework handles the bodies of methods that no path supports.
  fastify.addHook('onRequest', ({ is404, url }, reply, done) => {
    if (!is404) return done();
    openToPages(reply);
    done(refuseUnknown(url, reply, allowedMethodsOf));
  });
  addApiDescriptions(fastify, { resources: options.resources, baseUrl: server.services.settings.baseUrl });
  addPlainRoutes(fastify, { ...options, isReady: async () => !draining && (await options.isReady()) });
  addDiscordInteractions(fastify, options);
  addTelegramUpdates(fastify, options);
  addPages(fastify, options);
  addConsole(fastify, options);
  addMcp(fastify, options);
  addPlatformLogins(fastify, options, addOAuth(fastify, options));
  addOperations(fastify, options.resources, server, streams);
  checkMounted(fastify, options.resources);
  return { fastify, drain: (graceMs) => drain(graceMs) };

  async function drain(graceMs: number): Promise<void> {
    draining = true;
    streams.close();
    const { server: listener } = fastify;
    // Closing an HTTP server also closes its idle connections, though a request may be arriving on one of them. So this
    // only stops listening: a client that keeps sending gets a response with `connection: close`.
    const closed = new Promise((resolve) => SocketServer.prototype.close.call(listener, resolve));
    const idle = setInterval(() => listener.closeIdleConnections(), Math.min(graceMs * idleShare, longestIdleMs));
    const late = setTimeout(() => listener.closeAllConnections(), graceMs);
    await closed;
    clearInterval(idle);
    clearTimeout(late);
    await fastify.close();
  }
}

/** Returns the error for a request that no route serves. */
function refuseUnknown(url: string, reply: FastifyReply, allowedMethodsOf: AllowedMethods): AppError {
  const allowed = allowedMethodsOf(url);
  if (allowed.length === 0) return routeNotFound();
  reply.header('allow', allowed.join(', '));
  return methodNotAllowed(allowed);
}

function acceptRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(header) ? header : undefined;
}

const openerPolicy = 'cross-origin-opener-policy';

const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** How long to wait for a client that sends nothing: it may have announced more than it sends. */
const patienceMs = 250;

/**
 * Reads the rest of a request, up to a limit, before the response. Closing a connection with unread data resets it, and
 * the client loses a response that it has not read yet.
 */
function readOut(request: IncomingMessage, mostBytes: number, done: () => void): void {
  let left = mostBytes;
  const end = () => {
    clearTimeout(silence);
    request.off('data', count).off('end', end).off('close', end).off('error', end);
    done();
  };
  const silence = setTimeout(end, patienceMs);
  const count = (chunk: Buffer) => {
    left -= chunk.length;
    silence.refresh();
    if (left < 0) end();
  };
  request.on('data', count).once('end', end).once('close', end).once('error', end);
}

/** Receives Discord's interactions. Served only if Discord's public key is configured. */
function addDiscordInteractions(fastify: FastifyInstance, { server, verifyInteraction }: HttpOptions): void {
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

/** Receives Telegram's updates. Served only if a bot is configured. */
function addTelegramUpdates(fastify: FastifyInstance, { telegramUpdates }: HttpOptions): void {
  if (telegramUpdates === undefined) return;
  fastify.route({
    method: telegramRoute.method,
    url: telegramRoute.path,
    // Runs before the body is read, so that nothing of an unauthorized body is kept.
    onRequest: (request, _reply, done) => {
      const secret = request.headers[telegramRoute.secretHeader];
      if (typeof secret !== 'string')
        return done(new AppError('AUTHENTICATION_REQUIRED', 'Send the webhook secret token.'));
      done(
        telegramUpdates.isGenuine(secret)
          ? undefined
          : new AppError('INVALID_CREDENTIAL', 'The webhook secret token is wrong.'),
      );
    },
    handler: async ({ body }, reply) => {
      await telegramUpdates.take(Buffer.isBuffer(body) ? body.toString('utf8') : '');
      // Telegram would interpret a response body as a method call.
      return reply.code(200).send();
    },
  });
}

const spans = new WeakMap<FastifyRequest, Span>();

/**
 * Attaches the request id to everything that a request triggers: log lines, jobs, and spans if tracing is on.
 * Registered twice, because hooks after the body run in the async context of the connection.
 */
function followRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const span = areTracesOn() ? openSpan(startOf(request), traceParentOf(request)) : undefined;
    if (span !== undefined) spans.set(request, span);
    runFrom({ requestId: request.id, span }, done);
  });
  fastify.addHook('preHandler', (request, _reply, done) => {
    runFrom({ requestId: request.id, span: spans.get(request) }, done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    span?.set({ 'http.response.status_code': reply.statusCode, 'latchkey.request_id': request.id });
    span?.end(reply.statusCode >= 500 ? new Error(`${reply.statusCode}`) : undefined);
    done();
  });
}

function startOf({ method, routeOptions: { url = 'unknown' } }: FastifyRequest): SpanStart {
  return { name: `${method} ${url}`, kind: 'server', facts: { 'http.request.method': method, 'http.route': url } };
}

/** Only a trusted proxy may set the trace of a request: any other caller could flood the operator's traces. */
function traceParentOf({ headers, ips = [] }: FastifyRequest): string | undefined {
  const { traceparent } = headers;
  return ips.length > 1 && typeof traceparent === 'string' ? traceparent : undefined;
}

/** Paths for probes and collectors, accepted under any host name. The metrics need the operator's key anyway. */
const forEverybody = new Set(['/health/live', '/health/ready', '/metrics']);

/** The parts of a request that show which host name it used, and who sent it. */
interface NamedRequest extends Pick<FastifyRequest, 'headers' | 'ip' | 'url'> {
  raw: { socket: { remoteAddress?: string | undefined } };
}

interface KnownHostOptions {
  baseUrl: string;
  extraHosts: readonly string[];
}

/**
 * Refuses requests with a host name that is not this server's. A malicious page can point its own name at this machine
 * and read responses as same-origin (DNS rebinding), but its name stays in the Host header. An IP address cannot be
 * rebound, and a request without a Host header comes from no browser, so both pass. So do requests from a trusted
 * proxy, which may use any name. Ports are ignored: a proxy or a tunnel may change them.
 */
export function createHostCheck({
  baseUrl,
  extraHosts,
}: KnownHostOptions): (request: NamedRequest) => AppError | undefined {
  const known = new Set([new URL(baseUrl).hostname, ...extraHosts].map((name) => name.toLowerCase()));
  return (request) => {
    const { host } = request.headers;
    const isForwarded = request.ip !== request.raw.socket.remoteAddress;
    if (host === undefined || isForwarded || forEverybody.has(request.url.split('?')[0] ?? '')) return undefined;
    const name = hostNameOf(host);
    if (name !== undefined && (known.has(name) || isLoopbackName(name) || isAddress(name))) return undefined;
    return new AppError(
      'INVALID_PARAMETER_VALUE',
      'This server does not accept the name in the Host header. Use the server’s own address. The operator can add names with LATCHKEY_EXTRA_HOSTS.',
    );
  };
}

function hostNameOf(host: string): string | undefined {
  const [, name] = /^(\[[0-9a-f:.]+\]|[^\s:/?#@\\[\]]+)(?::\d{1,5})?$/i.exec(host) ?? [];
  // A name may end in the root dot, with the same meaning.
  return name?.toLowerCase().replace(/(?<=.)\.$/, '');
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

/** Serves the routes besides the operations: the front page, health checks, and metrics for the operator. */
/** How to authenticate (RFC 6750, RFC 9449), and where to learn how to get a token (RFC 9728). */
function challengeFor({ headers }: FastifyRequest, baseUrl: string): string {
  const scheme = /^dpop /i.test(headers.authorization ?? '')
    ? `DPoP algs="${clientSigningAlgs.join(' ')}", `
    : 'Bearer ';
  return `${scheme}realm="latchkey", resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`;
}

function addPlainRoutes(fastify: FastifyInstance, { server, metrics, isReady }: HttpOptions): void {
  const { baseUrl } = server.services.settings;

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

  // did:web resolves to the well-known path, or below the base URL if that has a path.
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
      throw new AppError('UNAVAILABLE', 'This process is not ready to accept requests.', { retryAfterSeconds: 2 });
    return reply.type('application/json; charset=utf-8').send('{"status":"ready"}');
  });

  fastify.get('/metrics', async (request, reply) => {
    await requireAdmin(request);
    return reply.type(metrics.contentType).send(await metrics.read());
  });

  // Metrics help an attacker to time an attack, so only the operator's collector may read them.
  async function requireAdmin(request: FastifyRequest): Promise<void> {
    const bearer = /^Bearer +(\S{1,256})$/i.exec(request.headers.authorization ?? '')?.[1];
    const key = bearer ?? request.headers['x-api-key'];
    if (typeof key !== 'string')
      throw new AppError('AUTHENTICATION_REQUIRED', 'Send the operator’s key as x-api-key or as a Bearer token.');
    const { actor } = await server.credentials.apiKey(key, request);
    if (actor.kind !== 'admin') throw new AppError('ROLE_NOT_ALLOWED', 'The metrics are for the operator.');
  }
}
