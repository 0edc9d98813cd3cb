import { Server as SocketServer } from 'node:net';
import { AppError, observed } from '@latchkey/kernel';
import Fastify, { type FastifyInstance } from 'fastify';
import { addConsole } from '../console/index.ts';
import { createLiveStreams, eventHeaders } from '../live/index.ts';
import { addMcp } from '../mcp/index.ts';
import { addOAuth } from '../oauth/mount.ts';
import { addPlatformLogins } from '../oauth/platform-logins/index.ts';
import { addPages } from '../pages/index.ts';
import { addPreflights, openToPages, readableByPages } from './cors.ts';
import { addDiscordInteractions } from './discord-interactions.ts';
import { errorBody, routeNotFound, toAppError } from './errors.ts';
import { followRequests } from './follow-requests.ts';
import type { HttpOptions } from './http-options.ts';
import { createHostCheck } from './known-hosts.ts';
import { logFailure } from './log-failure.ts';
import { addOperations, checkMounted, visitOf } from './operations.ts';
import { addPlainRoutes } from './plain-routes.ts';
import { answerBrokenRequest, noteAnswers, refuseTunnels } from './raw-errors.ts';
import { readOut } from './read-out.ts';
import { addTelegramUpdates } from './telegram-updates.ts';

const maxBodyBytes = 1024 * 1024;
/** The part of the time for stopping that a connection may stay without a request, and never longer than this. */
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
    // Node would answer a request without a host by itself, and not in our error shape.
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
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, log),
    frameworkErrors: (error, _request, reply) => {
      const mapped = toAppError(error);
      reply.raw.writeHead(mapped.status, {
        ...securityHeaders,
        ...readableByPages,
        'content-type': 'application/json; charset=utf-8',
      });
      reply.raw.end(JSON.stringify(errorBody(mapped)));
    },
  });
  fastify.server.headersTimeout = 10_000;
  noteAnswers(fastify.server);
  refuseTunnels(fastify.server);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  followRequests(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders).header('x-request-id', request.id);
    const isNameless = request.raw.httpVersion === '1.1' && request.headers.host === undefined;
    done(isNameless ? new AppError('MISSING_REQUIRED_PARAMETER', 'Send a Host header.') : refuseHost(request));
  });
  // An expectation that nobody knows is not worth a refusal (RFC 9110 10.1.1); Node's own has no body.
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response));
  fastify.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (draining) reply.header('connection', 'close');
    // A redirect is no page: an application that logs people in by a window of its own keeps its hold of it.
    const isShown = reply.statusCode < 300 || reply.statusCode >= 400;
    if (isShown && !reply.hasHeader(openerPolicy)) reply.header(openerPolicy, 'same-origin');
    const isLast = !reply.raw.shouldKeepAlive || reply.getHeader('connection') === 'close';
    if (isLast && !raw.complete && !raw.destroyed) readOut(raw, maxBodyBytes, done);
    else done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    // The route's pattern, not the URL: paths and queries can carry slugs, states and tokens.
    const route = request.routeOptions.url ?? 'unknown';
    // How long somebody listened says nothing about how fast an answer was.
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
    observed.refusal.tell({ code: mapped.code });
    if (mapped.status >= 500) logFailure(log, error, mapped, request);
    if (mapped.retryAfterSeconds !== undefined) reply.header('retry-after', mapped.retryAfterSeconds);
    if (mapped.status === 401) reply.header('www-authenticate', 'Bearer realm="latchkey"');
    reply
      .code(mapped.status)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(errorBody(mapped)));
  });

  addPreflights(fastify, options.resources);
  // Before the framework has an opinion about the bodies of methods that no path here has.
  fastify.addHook('onRequest', ({ is404 }, reply, done) => {
    if (is404) openToPages(reply);
    done(is404 ? routeNotFound() : undefined);
  });
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
    // An HTTP server that is closed also cuts its idle connections, though a request may be on its way in one of them.
    // So only the listening ends here: a client that goes on sending is answered and told that it was the last time.
    const closed = new Promise((resolve) => SocketServer.prototype.close.call(listener, resolve));
    const idle = setInterval(() => listener.closeIdleConnections(), Math.min(graceMs * idleShare, longestIdleMs));
    const late = setTimeout(() => listener.closeAllConnections(), graceMs);
    await closed;
    clearInterval(idle);
    clearTimeout(late);
    await fastify.close();
  }
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
