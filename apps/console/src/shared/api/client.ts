import { ApiError, type Client, createClient } from '@latchkey/client';
import { fetchFromServer, Unreachable } from '../../reach-server.ts';
import { connection } from '../connection/connection.ts';
import { t } from '../messages/index.ts';
import { SignedOut } from './failures.ts';
import { buildHeader, consoleHeaders } from './live.ts';

/** The request ids of failed calls, which the console shows with the message. */
const requestIds = new WeakMap<object, string>();

/** `fetch` for the console: with the session, and reporting to the connection state whether the server responds. */
export async function askAsConsole(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(consoleHeaders)) headers.set(name, value);
  try {
    const response = await fetchFromServer(input, { ...init, headers, credentials: 'same-origin' });
    connection.reached(response.headers.get(buildHeader));
    return response;
  } catch (error) {
    if (error instanceof Unreachable) connection.unreachable();
    throw error;
  }
}

/** Does the same for a signed-in user, where a refused credential means that the session has ended. */
async function fetchAsConsole(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await askAsConsole(input, init);
  if (response.status === 401) throw new SignedOut(t('session.ended'));
  return response;
}

/** Calls the operations of the server that served the page, as the signed-in user. */
export const call: Client = createClient({
  baseUrl: location.origin,
  // The queries retry themselves, and `fetchFromServer` limits the time.
  retries: 0,
  timeoutMs: Number.POSITIVE_INFINITY,
  fetch: async (input, init) => {
    const response = await fetchAsConsole(input, init);
    if (response.ok || response.status === 302) return response;
    throw await readRefusal(response);
  },
});

/** Returns the server's refusal as an error. */
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
