import { baseOf, type Fetch, Malformed, readJson, within } from '@latchkey/adapter-kit';
import { PlatformFailed } from '@latchkey/core/ports';
import { type Clock, isObject } from '@latchkey/kernel';

export interface MatrixOptions {
  /** The base URL of the bot's homeserver, as in `m.homeserver` of /.well-known/matrix/client. */
  homeserverUrl: string;
  accessToken: string;
  fetch: Fetch;
  clock: Clock;
  timeoutMs?: number;
}

/** The homeserver understood a request and refused it. */
export class MatrixRefused extends PlatformFailed {
  /** The `errcode` of the response, such as M_FORBIDDEN; empty if there was none. */
  readonly code: string;

  constructor(kind: PlatformFailed['kind'], message: string, code: string) {
    super(kind, message);
    this.code = code;
  }
}

interface CallOptions {
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Defaults to that of the client. A long poll takes longer. */
  timeoutMs?: number;
  maxBytes?: number;
}

export interface MatrixClient {
  /** Sends a request to the client-server API and returns its response. Throws `PlatformFailed`. */
  call(method: 'GET' | 'PUT' | 'POST', path: string, options?: CallOptions): Promise<unknown>;
  /** The bot's own user id. */
  ownId(signal?: AbortSignal): Promise<string>;
}

const defaultTimeoutMs = 15_000;
const usualBytes = 8_000_000;

/** Creates the client of one bot. While the homeserver demands a pause, requests that change something are not sent. */
export function createMatrixClient(options: MatrixOptions): MatrixClient {
  const { accessToken, clock, fetch } = options;
  const base = baseOf(options.homeserverUrl);
  let pausedUntilMs = 0;
  let ownId: string | undefined;

  const call: MatrixClient['call'] = async (method, path, { body, signal, timeoutMs, maxBytes = usualBytes } = {}) => {
    const waitMs = pausedUntilMs - clock().getTime();
    if (method !== 'GET' && waitMs > 0) throw limited(waitMs);
    const response = await send(() =>
      fetch(`${base}/_matrix${path}`, {
        method,
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${accessToken}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: within(timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs, signal),
      }),
    );
    const answer = await readJson(response, maxBytes);
    signal?.throwIfAborted();
    if (response.ok) {
      if (isObject(answer)) return answer;
      throw notUnderstood();
    }
    const failure = failureOf(response, answer);
    if (response.status === 429 && method !== 'GET')
      pausedUntilMs = clock().getTime() + (failure.retryAfterSeconds ?? 1) * 1000;
    throw failure;

    async function send(request: () => Promise<Response>): Promise<Response> {
      try {
        return await request();
      } catch {
        signal?.throwIfAborted();
        throw new PlatformFailed('unavailable', 'The Matrix homeserver is not responding.', 30);
      }
    }
  };

  return {
    call,
    ownId: async (signal) => {
      if (ownId !== undefined) return ownId;
      const { user_id: id } = { ...((await call('GET', '/client/v3/account/whoami', { signal })) as object) } as {
        user_id?: unknown;
      };
      if (typeof id !== 'string' || id === '') throw notUnderstood();
      ownId = id;
      return id;
    },
  };
}

function limited(waitMs: number): PlatformFailed {
  return new PlatformFailed('unavailable', 'Rate-limited by the Matrix homeserver.', Math.ceil(waitMs / 1000));
}

function notUnderstood(): PlatformFailed {
  return new PlatformFailed('unavailable', 'The Matrix homeserver sent an unexpected response.', 60);
}

/** The longest pause that is obeyed: a homeserver cannot stop the bot for days. */
const longestWaitMs = 3_600_000;

function failureOf({ status, headers }: Response, answer: unknown): PlatformFailed {
  const given = isObject(answer) ? answer : {};
  const code = typeof given.errcode === 'string' ? given.errcode : '';
  if (status === 429) {
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    const stated = Number.isFinite(seconds) ? seconds * 1000 : Number(given.retry_after_ms);
    return limited(Math.min(Number.isFinite(stated) && stated > 0 ? stated : 1_000, longestWaitMs));
  }
  if (status === 401)
    return new MatrixRefused(
      'not-configured',
      'The Matrix homeserver rejected the access token. Set LATCHKEY_MATRIX_ACCESS_TOKEN to a valid one.',
      code,
    );
  if (status === 403)
    return new MatrixRefused('forbidden', 'The Matrix homeserver does not allow the bot to do that.', code);
  if (status === 404)
    return new MatrixRefused('unknown-community', 'The Matrix homeserver does not know this room.', code);
  if (status === 400 || status === 405 || status === 413)
    return new MatrixRefused('malformed', `The Matrix homeserver rejected the request (${code || status}).`, code);
  return new PlatformFailed('unavailable', `The Matrix homeserver responded with status ${status}.`, 30);
}

/** Whether something does not exist, or is hidden from the bot. */
export function saysMissing(error: unknown): boolean {
  return error instanceof MatrixRefused && error.code === 'M_NOT_FOUND';
}

/** Whether the bot may not do or see something. */
export function saysForbidden(error: unknown): boolean {
  return error instanceof MatrixRefused && error.kind === 'forbidden';
}

/** Parses a response. What does not match the specification is a platform that could not be read. */
export function parsed<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Malformed) throw notUnderstood();
    throw error;
  }
}
