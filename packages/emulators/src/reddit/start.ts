import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Clock, systemMs } from '../clock.ts';
import { createDice } from '../dice.ts';
import { close, listen } from '../http/listen.ts';
import { parseBody, readBytes } from '../http/read-body.ts';
import { type Misbehaviour, Misbehaviours } from '../misbehave.ts';
import { createAllowance } from './allowance.ts';
import { Authorize } from './authorize.ts';
import { createRoutes, type RedditAnswer } from './routes.ts';
import { RedditWorld } from './subreddits.ts';
import { Tokens } from './tokens.ts';

export interface RedditEmulatorOptions {
  port?: number;
  host?: string;
  clock?: Clock;
  seed?: number;
  /** What codes and tokens follow from, so that nobody can guess them who does not know it. */
  secret?: string;
  clientId?: string;
  clientSecret?: string;
  /** Where browsers may be sent after the page of consent. */
  redirectUris?: readonly string[];
  requestsPerTenMinutes?: number;
}

export interface RedditEmulator {
  /** Serves both what www.reddit.com (tokens) and what oauth.reddit.com (everything else) serve. */
  url: string;
  clientId: string;
  clientSecret: string;
  world: RedditWorld;
  tokens: Tokens;
  /** May be added to at any time. */
  redirectUris: Set<string>;
  /** How many requests of each route were answered, and how many with 429. */
  counts: Map<string, number>;
  misbehave(what: Misbehaviour): () => void;
  stop(): Promise<void>;
}

/** A Reddit over real HTTP: OAuth, flair and approved users, with its limits and its errors. */
export async function startRedditEmulator(options: RedditEmulatorOptions = {}): Promise<RedditEmulator> {
  const { clientId = 'emulator-reddit-app', clientSecret = 'emulator-reddit-secret', clock = systemMs } = options;
  const world = new RedditWorld();
  const tokens = new Tokens(clock, options.secret);
  const redirectUris = new Set(options.redirectUris);
  const authorize = new Authorize({ clientId, redirectUris }, world, tokens);
  const allowance = createAllowance(clock, options.requestsPerTenMinutes);
  const faults = new Misbehaviours(clock, createDice(options.seed ?? 1));
  const routes = createRoutes();
  const counts = new Map<string, number>();
  const count = (label: string) => counts.set(label, (counts.get(label) ?? 0) + 1);
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://emulator');
    const fields =
      (await parseBody((await readBytes(request)) ?? Buffer.alloc(0), request.headers['content-type'])) ?? {};
    const method = request.method ?? 'GET';
    const label = `${method} ${pathname}`;
    if (faults.strike('hang', label)) return;
    if (faults.strike('outage', label)) return void response.destroy();
    const failure = faults.strike('error', label);
    if (failure)
      return void response.writeHead(failure.status ?? 503).end('<html>Our CDN was unable to reach our servers</html>');
    if (!request.headers['user-agent']) return sendError(response, 429);
    if (pathname === '/api/v1/authorize') {
      const page = authorize.answer(method, searchParams, fields as Record<string, string>);
      const { status, location, html } = page;
      response.writeHead(status, { 'content-type': 'text/html; charset=UTF-8', ...(location && { location }) });
      return void response.end(html);
    }
    if (method === 'POST' && pathname === '/api/v1/access_token') {
      if (request.headers.authorization !== basic) return sendError(response, 401);
      const granted = tokens.exchange(fields as Record<string, string>);
      return send(
        response,
        typeof granted === 'string' ? 400 : 200,
        typeof granted === 'string' ? { error: granted } : granted,
      );
    }
    if (method === 'POST' && pathname === '/api/v1/revoke_token') {
      if (request.headers.authorization !== basic) return sendError(response, 401);
      // A token that is not known is no mistake (RFC 7009, section 2.2).
      tokens.revoke((fields as Record<string, string>).token ?? '');
      return void response.writeHead(204).end();
    }
    const picture = [...world.subreddits.values()].find(({ icon }) => icon?.url.includes(pathname))?.icon?.bytes;
    if (pathname.startsWith('/icons/') && picture !== undefined)
      return void response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
    const token = tokens.find(/^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '');
    if (token === undefined) return sendError(response, 401);
    const { isOver, headers } = allowance.use();
    if (isOver || faults.strike('rate-limit', label)) {
      count('429');
      return sendError(response, 429, headers);
    }
    const match = routes.find(method, pathname.replace(/\.json$/, ''));
    if (match.kind !== 'found') return sendError(response, match.kind === 'nothing' ? 404 : 405, headers);
    count(match.label);
    if (!token.scopes.includes('*') && !token.scopes.includes(match.target.scope))
      return sendError(response, 403, headers);
    if (match.target.isWrite && faults.strike('lost-write', match.label))
      return send(response, 200, { success: true }, headers);
    const result: RedditAnswer = match.target.answer({
      world,
      userName: token.userName,
      params: match.params,
      query: searchParams,
      fields: fields as Record<string, string>,
    });
    if ('status' in result) return sendError(response, result.status, headers);
    send(response, 200, result.body, headers);
  };
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  const address = await listen(server, options.port ?? 0, options.host ?? '127.0.0.1');
  return {
    url: `http://${address}`,
    clientId,
    clientSecret,
    world,
    tokens,
    redirectUris,
    counts,
    misbehave: (what) => faults.start(what),
    stop: () => close(server),
  };
}

const words: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  429: 'Too Many Requests',
};

function sendError(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  send(response, status, { message: words[status] ?? 'Error', error: status }, headers);
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers });
  response.end(JSON.stringify(body));
}
