import type { ApiIndex, CallInput, CallResult, Routes } from './infer.ts';

export interface ClientOptions {
  /** Where the server is, for example http://localhost:3000. */
  baseUrl: string;
  /** The API key of a client application. */
  apiKey?: string;
  /** A whole Authorization header, for example `Bearer …` or `AE …`. */
  authorization?: string;
  /** Another fetch, for tests or for runtimes that bring their own. */
  fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Makes a repeatable operation safe to send again. */
  idempotencyKey?: string;
}

/** A refusal or failure the server answered with. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly details: unknown;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: number,
    error: { message?: string; code?: string; details?: unknown },
    retryAfter: string | null,
  ) {
    super(error.message ?? `The server answered ${status}.`);
    this.name = 'ApiError';
    this.status = status;
    this.code = error.code;
    this.details = error.details;
    this.retryAfterSeconds = retryAfter === null ? undefined : Number(retryAfter);
  }
}

export type Client<Resources extends Routes> = <Route extends keyof ApiIndex<Resources> & string>(
  route: Route,
  ...rest: CallInput<ApiIndex<Resources>[Route]> extends Record<string, never>
    ? [input?: Record<string, never>, options?: CallOptions]
    : [input: CallInput<ApiIndex<Resources>[Route]>, options?: CallOptions]
) => Promise<CallResult<ApiIndex<Resources>[Route]>>;

/**
 * Makes a client whose routes, inputs and answers are those of the server's own operations: `createClient<Api>(…)`, then
 * `await call('GET /client-apps/{id}', { id })`. Types only: none of the server's code comes along.
 */
export function createClient<Resources extends Routes>(options: ClientOptions): Client<Resources> {
  const send = options.fetch ?? globalThis.fetch;
  const call = async (
    route: string,
    input: Record<string, unknown> = {},
    callOptions: CallOptions = {},
  ): Promise<unknown> => {
    const { url, init } = writeRequest(options, route, input, callOptions);
    const response = await send(url, init);
    return readResponse(response);
  };
  // The generic signature holds for every route at once, which no implementation can express.
  return call as Client<Resources>;
}

function writeRequest(
  options: ClientOptions,
  route: string,
  input: Record<string, unknown>,
  callOptions: CallOptions,
): { url: URL; init: RequestInit } {
  const [method = 'GET', template = '/'] = route.split(' ');
  const { body, headers: extraHeaders, ...params } = input;
  const used = new Set<string>();
  const path = template.replace(/\{(\w+)\}/g, (_match, name: string) => {
    used.add(name);
    return encodeURIComponent(String(params[name]));
  });
  const url = new URL(options.baseUrl.replace(/\/+$/, '') + path);
  for (const [name, value] of Object.entries(params)) {
    if (used.has(name) || value === undefined) continue;
    for (const item of [value].flat()) url.searchParams.append(name, String(item));
  }
  const headers = new Headers(extraHeaders as Record<string, string> | undefined);
  if (options.apiKey !== undefined) headers.set('x-api-key', options.apiKey);
  if (options.authorization !== undefined) headers.set('authorization', options.authorization);
  if (callOptions.idempotencyKey !== undefined) headers.set('idempotency-key', callOptions.idempotencyKey);
  if (body !== undefined) headers.set('content-type', 'application/json');
  const init: RequestInit = { method, headers, redirect: 'manual' };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (callOptions.signal !== undefined) init.signal = callOptions.signal;
  return { url, init };
}

async function readResponse(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  if (response.status === 302) return { location: response.headers.get('location') };
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok) {
    const answer = (await response.json().catch(() => ({}))) as {
      error?: { message?: string; code?: string; details?: unknown };
    };
    throw new ApiError(response.status, answer.error ?? {}, response.headers.get('retry-after'));
  }
  if (type.startsWith('application/json')) return response.json();
  return type.startsWith('text/') ? response.text() : new Uint8Array(await response.arrayBuffer());
}
