import { ApiError, type Client, createClient } from '@latchkey/client';
import { SignedOut, Unreachable } from './failures.ts';
import { consoleHeaders } from './live.ts';

/** What the console needs to say about a refusal beyond its sentence. */
const requestIds = new WeakMap<object, string>();

const patienceMs = 30_000;

/** `fetch` as the console: with the session, with an end to its patience, and with a server that is away told apart. */
export async function askAsConsole(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(consoleHeaders)) headers.set(name, value);
  const patience = AbortSignal.timeout(patienceMs);
  const signal = init.signal ? AbortSignal.any([init.signal, patience]) : patience;
  try {
    return await fetch(input, { ...init, headers, signal, credentials: 'same-origin' });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new Unreachable('The server could not be reached. Check your connection and try again.');
  }
}

/** The same for somebody who is signed in, to whom a refused credential says that the session is over. */
async function fetchAsConsole(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await askAsConsole(input, init);
  if (response.status === 401) throw new SignedOut('Your session is over. Sign in again to go on.');
  return response;
}

/** Calls the operations of the server that the page came from, as whoever is signed in. */
export const call: Client = createClient({
  baseUrl: location.origin,
  // The queries retry by themselves, and `fetchAsConsole` limits the time.
  retries: 0,
  timeoutMs: Number.POSITIVE_INFINITY,
  fetch: async (input, init) => {
    const response = await fetchAsConsole(input, init);
    if (response.ok || response.status === 302) return response;
    throw await readRefusal(response);
  },
});

/** What the server said, as an error. */
export async function readRefusal(response: Response): Promise<ApiError> {
  const answer: { error?: { message?: string; code?: string; details?: unknown } } = await response
    .json()
    .catch(() => ({}));
  const error = new ApiError(response.status, answer.error ?? {}, response.headers.get('retry-after'));
  const id = response.headers.get('x-request-id');
  if (id !== null) requestIds.set(error, id);
  return error;
}

export function requestIdOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null ? requestIds.get(error) : undefined;
}
