import { t } from './messages/index.ts';
/** The server did not respond: the browser is offline, the server is unavailable, or it took too long. */
export class Unreachable extends Error {
  readonly isTimeout: boolean;

  constructor(message: string, isTimeout = false) {
    super(message);
    this.isTimeout = isTimeout;
  }
}

const timeoutSeconds = 30;

/** `fetch` with a time limit, which throws `Unreachable` instead of the browser's errors for a dead connection. */
export async function fetchFromServer(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutSeconds * 1_000);
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
  let response: Response;
  try {
    response = await fetch(input, { ...init, signal });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new Unreachable(whyUnreachable(timeout.aborted, init.method), timeout.aborted);
  }
  if (await isFromProxy(response)) throw new Unreachable(t('error.serverAway'));
  return response;
}

function whyUnreachable(isLate: boolean, method = 'GET'): string {
  if (navigator.onLine === false) return t('error.offline');
  if (!isLate) return t('error.serverAway');
  const params = { seconds: timeoutSeconds };
  // A write may have arrived even though its response did not.
  return method === 'GET' ? t('error.serverLate', params) : t('error.serverLateWrite', params);
}

/** Whether a proxy responded in place of a server that is down: our own errors are JSON with an `error` field. */
async function isFromProxy(response: Response): Promise<boolean> {
  if (![502, 503, 504].includes(response.status)) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return !(typeof body === 'object' && body !== null && 'error' in body);
}

const loadFailures = /dynamically imported module|importing a module script failed|unable to preload css/i;

/** Whether a file of this app could not be loaded: the server is unavailable, or serves a newer version without that file. */
export function isLoadFailure(error: unknown): boolean {
  return error instanceof Error && loadFailures.test(error.message);
}
