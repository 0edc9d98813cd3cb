import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { AppError } from '@latchkey/kernel';
import type { Config } from '../config.ts';
import { errorBody } from '../http/errors.ts';
import { isLoopbackName } from '../http/loopback.ts';
import { latchkeyVersion } from '../version.ts';
import type { Metrics } from './create-metrics.ts';

export interface WatchedProcess {
  /** Absent until the process has started up. */
  metrics?: Pick<Metrics, 'contentType' | 'read'> | undefined;
  isReady(): Promise<boolean>;
}

export interface MetricsServer {
  /** The base URL. */
  url: string;
  stop(): Promise<void>;
}

type Where = { host: string; port: number; token: string | undefined };

/**
 * Serves health and metrics of one process on their own address, for local probes and collectors. Workers and signers
 * listen on no other port.
 */
export async function serveMetrics(where: Where, watched: WatchedProcess): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    answer(where, watched, request).then(
      ({ type, text }) => send(response, 200, type, text),
      (error: unknown) => {
        const refusal =
          error instanceof AppError ? error : new AppError('INTERNAL_ERROR', 'The request could not be parsed.');
        send(response, refusal.status, 'application/json; charset=utf-8', JSON.stringify(errorBody(refusal)));
      },
    );
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 10_000;
  await listen(server, where);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : where.port;
  return {
    url: `http://${where.host.includes(':') ? `[${where.host}]` : where.host}:${port}`,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Serves them if the settings say so. */
export async function serveMetricsOf(
  { metrics: { host, port, token } }: Pick<Config, 'metrics'>,
  watched: WatchedProcess,
): Promise<MetricsServer | undefined> {
  return port === undefined ? undefined : serveMetrics({ host, port, token }, watched);
}

async function answer(where: Where, watched: WatchedProcess, request: IncomingMessage) {
  refuseForeignNames(where, request);
  const [path] = (request.url ?? '').split('?');
  if (request.method !== 'GET' && request.method !== 'HEAD') throw notFound();
  if (path === '/health/live') return json(JSON.stringify({ status: 'live', version: latchkeyVersion }));
  if (path === '/health/ready') {
    if (await watched.isReady()) return json('{"status":"ready"}');
    throw new AppError('UNAVAILABLE', 'This process is not ready.', { retryAfterSeconds: 2 });
  }
  if (path !== '/metrics') throw notFound();
  requireToken(where, request);
  if (watched.metrics === undefined)
    throw new AppError('UNAVAILABLE', 'This process is still starting.', { retryAfterSeconds: 2 });
  return { type: watched.metrics.contentType, text: await watched.metrics.read() };
}

const json = (text: string) => ({ type: 'application/json; charset=utf-8', text });
const notFound = () =>
  new AppError('ROUTE_NOT_FOUND', 'Available routes: GET /health/live, GET /health/ready and GET /metrics.');

function requireToken({ token }: Where, { headers }: IncomingMessage): void {
  if (token === undefined) return;
  const [, given = ''] = /^Bearer +(\S{1,512})$/i.exec(headers.authorization ?? '') ?? [];
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  if (one.length !== other.length || !timingSafeEqual(one, other))
    throw new AppError('AUTHENTICATION_REQUIRED', 'Send the value of LATCHKEY_METRICS_TOKEN as a Bearer token.');
}

/**
 * A malicious web page can point its own name at this machine (DNS rebinding), but its name stays in the Host header.
 */
function refuseForeignNames({ host }: Where, { headers }: IncomingMessage): void {
  if (!isLoopbackName(host) && !/^(127\.|::1$)/.test(host)) return;
  const name = (headers.host ?? '').replace(/:\d{1,5}$/, '');
  if (name !== '' && !isLoopbackName(name) && isIP(name.replace(/^\[|\]$/g, '')) === 0)
    throw new AppError('INVALID_PARAMETER_VALUE', 'Use localhost or the address of this machine as the Host header.');
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 401 && { 'www-authenticate': 'Bearer realm="latchkey-metrics"' }),
    ...(status === 503 && { 'retry-after': '2' }),
  });
  response.end(text);
}

function listen(server: Server, { host, port }: Where): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        reject(
          new Error(
            `Port ${port}, the metrics port of this process, is in use. Give each process on a machine its own LATCHKEY_METRICS_PORT.`,
          ),
        );
      else if (error.code === 'EADDRNOTAVAIL')
        reject(new Error(`This machine has no address ${host}. Set LATCHKEY_METRICS_HOST to one it has.`));
      else reject(error);
    });
    server.listen({ host, port }, resolve);
  });
}
