import { type Credentials, checkCredentials, credentialHeaders } from './credentials.ts';
import { repeatableRoutes } from './operations.ts';
import { readResponse } from './read-response.ts';
import { withRetries } from './retry.ts';
import type { CallInput, CallResult, Route } from './routes.ts';
import { newIdempotencyKey } from './runtime.ts';
import { type Input, writeBody, writeUrl } from './write-request.ts';

export interface ClientOptions extends Credentials {
  /** Where the server is, for example https://latchkey.example. */
  baseUrl: string;
  /**
   * How many further attempts follow a failure that may pass: a rate limit, an outage, a lost connection. Only reads and
   * operations that take an Idempotency-Key are repeated. Defaults to 2.
   */
  retries?: number;
  /** How long one attempt may take. Defaults to 30,000; `Infinity` sets no limit. */
  timeoutMs?: number;
  /** Another fetch, for tests or for runtimes that bring their own. */
  fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  /** Ends the call, its attempts included. */
  signal?: AbortSignal;
  /** Sent instead of a key of the client's own. The same key and the same request have one effect, however often sent. */
  idempotencyKey?: string;
  /** For this call only. */
  retries?: number;
  /** For this call only. */
  timeoutMs?: number;
}

type Arguments<R extends Route> =
  Record<never, never> extends CallInput<R>
    ? [input?: CallInput<R>, options?: CallOptions]
    : [input: CallInput<R>, options?: CallOptions];

/** Calls an operation by its route. */
export type Client = <R extends Route>(route: R, ...rest: Arguments<R>) => Promise<CallResult<R>>;

/** A call of any route, for what is written once for all of them. */
export type AnyCall = (route: string, input?: Input, options?: CallOptions) => Promise<unknown>;

/** Makes a client: `const call = createClient({ baseUrl, apiKey })`, then `await call('GET /client-apps/{id}', { id })`. */
export function createClient(options: ClientOptions): Client {
  checkBaseUrl(options.baseUrl);
  checkCredentials(options);
  const call: AnyCall = (route, input = {}, callOptions = {}) => send(options, route, input, callOptions);
  // The generic signature holds for every route at once, which no implementation can express.
  return call as Client;
}

/** One call, with as many attempts as are safe. All of them carry the same key. */
async function send(client: ClientOptions, route: string, input: Input, options: CallOptions): Promise<unknown> {
  const method = route.slice(0, route.indexOf(' '));
  const url = writeUrl(client.baseUrl, route, input);
  const { body, type } = writeBody(route, input.body);
  const isRepeatable = repeatableRoutes.includes(route);
  const key = options.idempotencyKey ?? (isRepeatable ? newIdempotencyKey() : undefined);
  const { signal } = options;
  const timeoutMs = options.timeoutMs ?? client.timeoutMs ?? 30_000;
  const attempt = async () => {
    // A token may be renewed between two attempts.
    const headers = new Headers(writeHeaders(input.headers));
    for (const [name, value] of await credentialHeaders(client)) headers.set(name, value);
    if (key !== undefined) headers.set('idempotency-key', key);
    if (type !== undefined) headers.set('content-type', type);
    const limit = limitTime(timeoutMs, signal);
    const response = await (client.fetch ?? globalThis.fetch)(url, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
      ...(limit !== undefined && { signal: limit }),
    });
    return readResponse(response);
  };
  const retries = method === 'GET' || isRepeatable ? (options.retries ?? client.retries ?? 2) : 0;
  return withRetries(attempt, { retries, signal });
}

function limitTime(timeoutMs: number, signal: AbortSignal | undefined): AbortSignal | undefined {
  if (timeoutMs === Number.POSITIVE_INFINITY) return signal;
  const limit = AbortSignal.timeout(timeoutMs);
  return signal === undefined ? limit : AbortSignal.any([signal, limit]);
}

function writeHeaders(headers: unknown): [string, string][] {
  if (typeof headers !== 'object' || headers === null) return [];
  return Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
}

function checkBaseUrl(baseUrl: string): void {
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    throw new TypeError(
      `baseUrl must be the http or https address of a Latchkey server, and is ${JSON.stringify(baseUrl)}.`,
    );
}
