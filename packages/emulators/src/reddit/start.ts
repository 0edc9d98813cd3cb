import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Clock, systemMs } from '../clock.ts';
import { createDice } from '../dice.ts';
import { choosePerson, writePage } from '../http/html.ts';
import { close, listen } from '../http/listen.ts';
import { parseBody, readBytes } from '../http/read-body.ts';
import { type Misbehaviour, Misbehaviours } from '../misbehave.ts';
import { createRoutes, type RedditAnswer } from './routes.ts';
import { RedditWorld } from './subreddits.ts';

export interface RedditEmulatorOptions {
  port?: number;
  host?: string;
  clock?: Clock;
  seed?: number;
  /** Codes and tokens are derived from it, so that they cannot be guessed without it. */
  secret?: string;
  clientId?: string;
  clientSecret?: string;
  /** Allowed redirect URIs after the consent page. */
  redirectUris?: readonly string[];
  requestsPerTenMinutes?: number;
}

export interface RedditEmulator {
  /** Serves both www.reddit.com (tokens) and oauth.reddit.com (everything else). */
  url: string;
  clientId: string;
  clientSecret: string;
  world: RedditWorld;
  tokens: Tokens;
  /** May be added to at any time. */
  redirectUris: Set<string>;
  /** How many requests each route handled, and how many got 429. */
  counts: Map<string, number>;
  misbehave(what: Misbehaviour): () => void;
  stop(): Promise<void>;
}

/** Starts Reddit over real HTTP: OAuth, flair and approved users, with its limits and its errors. */
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
      // An unknown token is not an error (RFC 7009, section 2.2).
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

/** The rate limit of an application: 100 requests a minute, averaged over ten minutes. */
interface Allowance {
  /** Counts one request and returns the headers of every response; `isOver` means 429. */
  use(): { isOver: boolean; headers: Record<string, string> };
}

function createAllowance(clock: Clock, requests = 1000, windowSeconds = 600): Allowance {
  let windowEndsMs = 0;
  let used = 0;
  return {
    use: () => {
      const now = clock();
      if (now >= windowEndsMs) {
        windowEndsMs = now + windowSeconds * 1000;
        used = 0;
      }
      const isOver = used >= requests;
      if (!isOver) used += 1;
      return {
        isOver,
        headers: {
          'x-ratelimit-used': String(used),
          'x-ratelimit-remaining': (requests - used).toFixed(1),
          'x-ratelimit-reset': String(Math.ceil((windowEndsMs - now) / 1000)),
        },
      };
    },
  };
}

interface AuthorizePage {
  status: number;
  html?: string;
  location?: string;
}

interface RoutedRequest {
  redirectUri: string;
  scopes: readonly string[];
  state: string;
  isPermanent: boolean;
}

const knownScopes = new Set([
  ...['identity', 'read', 'flair', 'modflair', 'modcontributors', 'mysubreddits', 'modmail', 'privatemessages'],
  '*',
]);

/** Reddit's consent page, without a login: it asks which of the emulator's users you are. */
class Authorize {
  readonly #app: { clientId: string; redirectUris: ReadonlySet<string> };
  readonly #world: RedditWorld;
  readonly #tokens: Tokens;

  constructor(app: { clientId: string; redirectUris: ReadonlySet<string> }, world: RedditWorld, tokens: Tokens) {
    this.#app = app;
    this.#world = world;
    this.#tokens = tokens;
  }

  /** Returns the page, or the redirect URL after the user's decision. */
  answer(method: string, query: URLSearchParams, fields: Readonly<Record<string, string>>): AuthorizePage {
    const requested = this.#read(query);
    if (typeof requested === 'string')
      return { status: 400, html: writePage('bad request (reddit.com)', `<p>${requested}</p>`) };
    if (method !== 'POST') return { status: 200, html: this.#page(requested) };
    const target = new URL(requested.redirectUri);
    target.searchParams.set('state', requested.state);
    if (fields.decision !== 'allow') {
      target.searchParams.set('error', 'access_denied');
      return { status: 302, location: target.href };
    }
    const user = this.#world.user(fields.user);
    if (user === undefined) return { status: 400, html: writePage('bad request (reddit.com)', '<p>Nobody.</p>') };
    const { redirectUri, scopes, isPermanent } = requested;
    target.searchParams.set('code', this.#tokens.authorize(user.name, scopes, { redirectUri, isPermanent }));
    return { status: 302, location: `${target.href}#_` };
  }

  /** Returns a string if something is wrong; then there is no redirect. */
  #read(query: URLSearchParams): RoutedRequest | string {
    const redirectUri = query.get('redirect_uri') ?? '';
    const scopes = (query.get('scope') ?? '').split(/[ ,]+/);
    const duration = query.get('duration') ?? 'temporary';
    if (query.get('client_id') !== this.#app.clientId) return 'invalid client id.';
    if (!this.#app.redirectUris.has(redirectUri)) return 'invalid redirect_uri parameter.';
    if (query.get('response_type') !== 'code') return 'invalid response type.';
    if (!scopes.every((scope) => knownScopes.has(scope))) return 'invalid scope.';
    if ((query.get('state') ?? '') === '') return 'you must provide a state.';
    if (duration !== 'temporary' && duration !== 'permanent') return 'invalid duration.';
    return { redirectUri, scopes, state: query.get('state') ?? '', isPermanent: duration === 'permanent' };
  }

  #page({ scopes }: RoutedRequest): string {
    const people = this.#world.users.values().map(({ name }) => ({ id: name, name }));
    const form = choosePerson(people, [
      { text: 'Allow', decision: 'allow' },
      { text: 'Decline', decision: 'deny' },
    ]);
    const text = `<p>This is an emulator of Reddit. It asks for: ${scopes.join(', ')}.</p>`;
    return writePage('Latchkey would like to connect with your Reddit account', `${text}\n${form}`);
  }
}

const lifetimeSeconds = 86_400;
const codeLifetimeSeconds = 600;

interface Code extends CodeOptions {
  userName: string;
  scopes: readonly string[];
  endsAtMs: number;
}

interface CodeOptions {
  /** The redirect URI that the code was sent to, which must be repeated in the exchange. */
  redirectUri?: string;
  /** Whether a refresh token is issued with it. */
  isPermanent?: boolean;
}

interface Token {
  userName: string | undefined;
  scopes: readonly string[];
  endsAtMs: number;
  /** The refresh token that it was issued for. */
  refresh?: string;
}

interface TokenAnswer {
  access_token: string;
  token_type: 'bearer';
  expires_in: number;
  scope: string;
  refresh_token?: string;
}

/** Codes, refresh tokens and access tokens of one application. */
class Tokens {
  readonly #clock: Clock;
  readonly #codes = new Map<string, Code>();
  readonly #refresh = new Map<string, { userName: string; scopes: readonly string[] }>();
  readonly #access = new Map<string, Token>();
  readonly #secret: string;
  #made = 0;

  constructor(clock: Clock, secret = 'emulator') {
    this.#clock = clock;
    this.#secret = secret;
  }

  /** Returns what a user gets after pressing "allow": a single-use code. */
  authorize(userName: string, scopes: readonly string[], options: CodeOptions = {}): string {
    const code = this.#next('code');
    this.#codes.set(code, { userName, scopes, endsAtMs: this.#clock() + codeLifetimeSeconds * 1000, ...options });
    return code;
  }

  /** Creates a permanent grant, as if the user had completed the pages. */
  grant(userName: string, scopes: readonly string[]): string {
    const refresh = this.#next('refresh');
    this.#refresh.set(refresh, { userName, scopes });
    return refresh;
  }

  /** Revokes a token and, with a refresh token, every access token issued for it. */
  revoke(token: string): void {
    this.#refresh.delete(token);
    for (const [access, { refresh }] of this.#access)
      if (access === token || refresh === token) this.#access.delete(access);
  }

  /** Returns the refresh tokens of permanent grants that are still valid. */
  granted(): string[] {
    return [...this.#refresh.keys()];
  }

  /** Handles the token endpoint. A string is Reddit's error code. */
  exchange(fields: Readonly<Record<string, string>>): TokenAnswer | string {
    switch (fields.grant_type) {
      case 'refresh_token': {
        const { refresh_token: refresh = '' } = fields;
        const held = this.#refresh.get(refresh);
        return held === undefined ? 'invalid_grant' : this.#issue(held.userName, held.scopes, refresh);
      }
      case 'authorization_code': {
        const held = this.#codes.get(fields.code ?? '');
        this.#codes.delete(fields.code ?? '');
        if (held === undefined || held.endsAtMs <= this.#clock()) return 'invalid_grant';
        if (held.redirectUri !== undefined && held.redirectUri !== fields.redirect_uri) return 'invalid_grant';
        if (held.isPermanent === false) return this.#issue(held.userName, held.scopes);
        const refresh = this.grant(held.userName, held.scopes);
        return { ...this.#issue(held.userName, held.scopes, refresh), refresh_token: refresh };
      }
      case 'client_credentials':
        return this.#issue(undefined, ['*']);
      default:
        return 'unsupported_grant_type';
    }
  }

  find(accessToken: string): Token | undefined {
    const token = this.#access.get(accessToken);
    return token !== undefined && token.endsAtMs > this.#clock() ? token : undefined;
  }

  #issue(userName: string | undefined, scopes: readonly string[], refresh?: string): TokenAnswer {
    const access = this.#next('access');
    const endsAtMs = this.#clock() + lifetimeSeconds * 1000;
    this.#access.set(access, { userName, scopes, endsAtMs, ...(refresh !== undefined && { refresh }) });
    return { access_token: access, token_type: 'bearer', expires_in: lifetimeSeconds, scope: scopes.join(' ') };
  }

  #next(kind: string): string {
    this.#made += 1;
    const text = createHash('sha256').update(`${this.#secret} ${kind} ${this.#made}`).digest('base64url');
    return `emulator-${kind}-${text}`;
  }
}
