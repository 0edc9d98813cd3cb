import { ApiError, type Client, createClient } from '@latchkey/client';
import { fetchFromServer, Unreachable } from '../../reach-server.ts';
import { connection } from '../connection/connection.ts';
import { t } from '../messages/index.ts';
import { SignedOut } from './failures.ts';
import { buildHeader, consoleHeaders } from './live.ts';

/** The request ids of failed calls, which the console shows with the message. */
const requestIds = new WeakMap<object, string>();

/** A server that has answered nothing for as long as both together does not respond. */
const lateMs = 8_000;
const probeMs = 4_000;

/** `fetch` for the console: with the session, and reporting to the connection state whether the server responds. */
export async function askAsConsole(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(consoleHeaders)) headers.set(name, value);
  const late = setTimeout(noticeSilence, lateMs);
  try {
    const response = await fetchFromServer(input, { ...init, headers, credentials: 'same-origin' });
    connection.reached(response.headers.get(buildHeader));
    return response;
  } catch (error) {
    if (error instanceof Unreachable) error.isTimeout ? connection.silent() : connection.unreachable();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

let isProbing = false;

/** One answer may take long. Only if the server does not answer the smallest question either is it silent. */
async function noticeSilence(): Promise<void> {
  if (isProbing) return;
  isProbing = true;
  const silent = setTimeout(() => connection.silent(), probeMs);
  await askAsConsole('/latchkey/session').catch(() => undefined);
  clearTimeout(silent);
  isProbing = false;
}

/** Waits for a file of the console, and notices meanwhile if the server does not respond. */
export async function whileNoticingSilence<Result>(loading: Promise<Result>): Promise<Result> {
  const late = setTimeout(noticeSilence, lateMs);
  return loading.finally(() => clearTimeout(late));
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
