import { type ErrorCode, type ErrorStatuses, formRoutes, repeatableRoutes } from './operations.ts';
import type { CallInput, CallResult, Route } from './routes.ts';
import { chance, newIdempotencyKey, wait } from './runtime.ts';

export interface ClientOptions extends Credentials {
  /** The URL of the server, for example https://latchkey.example. */
  baseUrl: string;
  /**
   * How many times to retry after a failure that may be transient. After a rate limit any call is retried; after an outage or a lost
   * connection only one that may safely happen twice: reads, PUT, and operations with an Idempotency-Key. Defaults to 2.
   */
  retries?: number;
  /** How long one attempt may take. Defaults to 30,000; `Infinity` sets no limit. */
  timeoutMs?: number;
  /** Another fetch implementation, for tests or for runtimes that provide one. */
  fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  /** Aborts the call, including its retries. */
  signal?: AbortSignal;
  /** Sent instead of a generated key. The same key and the same request take effect once, however often they are sent. */
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

/** A call of any route, for code that handles all of them. */
export type AnyCall = (route: string, input?: Input, options?: CallOptions) => Promise<unknown>;

/** Creates a client: `const call = createClient({ baseUrl, apiKey })`, then `await call('GET /client-apps/{id}', { id })`. */
export function createClient(options: ClientOptions): Client {
  checkBaseUrl(options.baseUrl);
  checkCredentials(options);
  const call: AnyCall = (route, input = {}, callOptions = {}) => send(options, route, input, callOptions);
  // The generic signature covers every route at once, which no implementation can express.
  return call as Client;
}

/** Makes one call, with as many attempts as are safe. All of them use the same idempotency key. */
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
    const init = {
      method,
      headers,
      redirect: 'manual' as const,
      ...(body !== undefined && { body }),
      ...(limit !== undefined && { signal: limit }),
    };
    const response = await (client.fetch ?? globalThis.fetch)(url, init).catch((error: unknown) => {
      throw isConnectionFailure(error) ? new ConnectionLost(error) : error;
    });
    return readResponse(response);
  };
  const isSafe = ['GET', 'PUT'].includes(method) || isRepeatable || readingRoutes.includes(route);
  return withRetries(attempt, { retries: options.retries ?? client.retries ?? 2, isSafe, signal });
}

/** Operations that send a body but change nothing. */
const readingRoutes: readonly string[] = ['POST /access-control/check-roles'];

/** A call that got no response. An error in the code around it is none, even if it is a TypeError too. */
class ConnectionLost {
  readonly cause: unknown;

  constructor(cause: unknown) {
    this.cause = cause;
  }
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

/** A secret, or a function that returns it: called before every attempt, so that a token can be renewed in time. */
export type Secret = string | (() => string | Promise<string>);

/** The credentials. At most one of the last three. */
export interface Credentials {
  /** The API key of a client application. Never ship it to a browser. */
  apiKey?: Secret;
  /** The OAuth2 access token of a user who gave consent. */
  accessToken?: Secret;
  /** The AE token of a user who signed in with a wallet. */
  aeToken?: Secret;
  /** A whole Authorization header, for what the others do not cover. */
  authorization?: Secret;
}

function checkCredentials({ accessToken, aeToken, authorization }: Credentials): void {
  if ([accessToken, aeToken, authorization].filter((secret) => secret !== undefined).length > 1)
    throw new TypeError('Give one of accessToken, aeToken and authorization, not several.');
}

async function credentialHeaders(credentials: Credentials): Promise<[string, string][]> {
  const { apiKey, accessToken, aeToken, authorization } = credentials;
  const headers: [string, string][] = [];
  if (apiKey !== undefined) headers.push(['x-api-key', await readSecret(apiKey)]);
  if (accessToken !== undefined) headers.push(['authorization', `Bearer ${await readSecret(accessToken)}`]);
  // `latchkey token ae` prints it with its scheme.
  if (aeToken !== undefined) headers.push(['authorization', `AE ${(await readSecret(aeToken)).replace(/^AE /, '')}`]);
  if (authorization !== undefined) headers.push(['authorization', await readSecret(authorization)]);
  return headers;
}

async function readSecret(secret: Secret): Promise<string> {
  return typeof secret === 'string' ? secret : secret();
}

/** Returns the content of a response: JSON, text, bytes, the URL of a redirect, or undefined. Throws for a refusal. */
async function readResponse(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  if (response.status === 302) return { location: response.headers.get('location') };
  if (!response.ok) throw await readRefusal(response);
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return response.json();
  return type.startsWith('text/') ? response.text() : new Uint8Array(await response.arrayBuffer());
}

async function readRefusal(response: Response): Promise<ApiError> {
  const { headers } = response;
  const error =
    response.type === 'opaqueredirect'
      ? { message: 'The server redirects, and browsers do not let pages see where to.' }
      : readError(await response.text());
  return new ApiError(response.status, error, headers.get('retry-after'), headers.get('x-request-id'));
}

/** Parses the error of the API, or of OAuth (RFC 6749, section 5.2). What a proxy writes is kept as text. */
function readError(text: string): ApiErrorBody {
  const answer = tryParsing(text);
  if (isObject(answer)) {
    const { error, error_description: description } = answer;
    if (typeof error === 'string')
      return { code: error, message: typeof description === 'string' ? description : error };
    if (isObject(error)) {
      const { message, code, details } = error;
      return {
        ...(typeof message === 'string' && { message }),
        ...(typeof code === 'string' && { code }),
        ...(details !== undefined && { details }),
      };
    }
  }
  return text === '' ? {} : { details: text.slice(0, longestDetails) };
}

const longestDetails = 1_000;

function tryParsing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Statuses after which the same request may succeed later. */
const passing = [429, 502, 503, 504];
const firstDelayMs = 500;
const longestDelayMs = 30_000;

/**
 * Retries until success, a permanent refusal, or `retries` further failures. The wait doubles each time and is partly random, so that many
 * clients do not come back at once. A `Retry-After` of the server is honored.
 */
async function withRetries<Result>(
  attempt: () => Promise<Result>,
  { retries, isSafe, signal }: { retries: number; isSafe: boolean; signal: AbortSignal | undefined },
): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      const delayMs = failures < retries && signal?.aborted !== true ? delayAfter(error, failures, isSafe) : undefined;
      if (delayMs === undefined) throw error instanceof ConnectionLost ? error.cause : error;
      await wait(delayMs, signal);
    }
  }
}

/**
 * Returns how long to wait after a failure; undefined if another attempt would be pointless, or might do something
 * twice. A call that the rate limit refused did nothing, so any call can be repeated after it.
 */
function delayAfter(error: unknown, failures: number, isSafe: boolean): number | undefined {
  if (error instanceof ConnectionLost) return isSafe ? backoff(failures) : undefined;
  if (!(error instanceof ApiError)) return undefined;
  const isPassing = isSafe
    ? passing.includes(error.status) || error.code === 'IDEMPOTENCY_IN_PROGRESS'
    : error.status === 429;
  if (!isPassing) return undefined;
  const requestedMs = (error.retryAfterSeconds ?? 0) * 1_000;
  return requestedMs > longestDelayMs ? undefined : Math.max(requestedMs, backoff(failures));
}

function backoff(failures: number): number {
  const fullMs = Math.min(firstDelayMs * 2 ** failures, longestDelayMs);
  return fullMs / 2 + (fullMs / 2) * chance();
}

/** `fetch` throws a TypeError when the connection fails, and a TimeoutError when an attempt times out. */
function isConnectionFailure(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError');
}

/** The server's description of a refusal: the `error` of its response. */
export interface ApiErrorBody {
  message?: string;
  code?: KnownCode;
  details?: unknown;
}

/** A code of the API, or one that a newer server or OAuth added. Editors complete the known ones. */
export type KnownCode = ErrorCode | (string & {});

/** The server refused a call or failed to respond to it. */
export class ApiError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** The code for programs, for example `RATE_LIMITED`. Undefined if the response is not from Latchkey. */
  readonly code: KnownCode | undefined;
  /** The location and cause of each problem, if available; the text of a response that is not from Latchkey. */
  readonly details: unknown;
  /** How many seconds to wait before the next attempt, if the server sent it. */
  readonly retryAfterSeconds: number | undefined;
  /** Quote it when you contact the operator. */
  readonly requestId: string | undefined;

  constructor(status: number, error: ApiErrorBody, retryAfter: string | null, requestId: string | null = null) {
    super(error.message ?? `The server responded with status ${status}.`);
    this.name = 'ApiError';
    this.status = status;
    this.code = error.code;
    this.details = error.details;
    this.retryAfterSeconds = readSeconds(retryAfter);
    this.requestId = requestId ?? undefined;
  }
}

/** One invalid place in a request. */
export interface InvalidPlace {
  /** A JSON pointer into the body, for example `/rules/0/tokenId`. */
  path: string;
  code: string;
  message: string;
  info?: Readonly<Record<string, unknown>>;
}

/** What `details` holds, for the codes whose details have a fixed form. */
interface ErrorDetails {
  VALIDATION_FAILED: readonly InvalidPlace[] | undefined;
  MISSING_REQUIRED_PARAMETER: { readonly parameter: string } | undefined;
  INVALID_PARAMETER_VALUE: { readonly parameter: string } | undefined;
}

/** An error of the API, not of OAuth or of a proxy: its code tells the status, and what the details hold. */
export type KnownApiError = {
  [Code in ErrorCode]: ApiError & {
    readonly code: Code;
    readonly status: ErrorStatuses[Code];
    readonly details: Code extends keyof ErrorDetails ? ErrorDetails[Code] : unknown;
  };
}[ErrorCode];

/**
 * Whether the API refused a call, with one of its codes: those of OAuth are in lower case. A newer server may send a code that
 * is missing from the types, so write a `default` too.
 */
export function isApiError(error: unknown): error is KnownApiError {
  return error instanceof ApiError && /^[A-Z][A-Z0-9_]*$/.test(error.code ?? '');
}

/** Servers send seconds. A proxy may send a date, which is ignored because its clock cannot be trusted. */
function readSeconds(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d{1,9}$/.test(retryAfter.trim()) ? Number(retryAfter) : undefined;
}

type Input = Readonly<Record<string, unknown>>;

/** Returns the URL of a call with its parameters. */
function writeUrl(baseUrl: string, route: string, { body: _body, headers: _headers, ...params }: Input): URL {
  const template = route.slice(route.indexOf(' ') + 1);
  const inPath = new Set<string>();
  const path = template.replace(/\{(\w+)\}/g, (_match, name: string) => {
    inPath.add(name);
    return writeSegment(route, name, params[name]);
  });
  const url = new URL(baseUrl.replace(/\/+$/, '') + path);
  for (const [name, value] of Object.entries(params)) {
    if (inPath.has(name) || value === undefined) continue;
    for (const item of [value].flat()) url.searchParams.append(name, String(item));
  }
  return url;
}

/** An empty segment, `.` and `..` would change the URL to another operation. */
function writeSegment(route: string, name: string, value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value);
  if (text === '' || text === '.' || text === '..')
    throw new TypeError(`${route} needs a value for "${name}", and got ${JSON.stringify(value)}.`);
  return encodeURIComponent(text);
}

function writeBody(route: string, body: unknown): { body?: NonNullable<RequestInit['body']>; type?: string } {
  if (body === undefined) return {};
  if (formRoutes.includes(route) && isFields(body)) return { body: writeForm(body) };
  // Signed bytes must arrive unchanged.
  if (body instanceof Uint8Array) return { body: new Uint8Array(body), type: 'application/json' };
  return { body: JSON.stringify(body), type: 'application/json' };
}

function isFields(body: unknown): body is Input {
  return typeof body === 'object' && body !== null;
}

/** `fetch` sets the content type. */
function writeForm(fields: Input): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, String(value));
  return form;
}
