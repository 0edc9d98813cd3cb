import { REST, type RESTOptions, type ResponseLike } from '@discordjs/rest';
import { within } from '@latchkey/adapter-kit';

export interface RestOptions {
  token: string;
  /** `https://discord.com/api`, or another server with the same protocol. */
  apiUrl: string;
  timeoutMs: number;
  fetch: typeof globalThis.fetch;
}

/**
 * Discord's maintained client, without its queue, which learns limits too late for a burst, retries on its own and sleeps on the real
 * clock. Here the governor alone decides when something is sent, and how often.
 */
export function createRest({ token, apiUrl, timeoutMs, fetch }: RestOptions): REST {
  const rest = new REST({
    api: apiUrl,
    version: '10',
    timeout: timeoutMs,
    retries: 0,
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    hashSweepInterval: 0,
    handlerSweepInterval: 0,
    userAgentAppendix: 'Latchkey',
    makeRequest: requestsBy(fetch),
  }).setToken(token);
  const direct = {
    id: 'direct',
    inactive: false,
    queueRequest: async (
      _route: unknown,
      url: string,
      init: object,
      { signal }: { signal?: AbortSignal | undefined },
    ) => rest.options.makeRequest(url, { ...init, signal: within(rest.options.timeout, signal) }),
  };
  rest.handlers.get = () => direct;
  return rest;
}

/** Makes the library send its requests through egress. It types them by undici, whose `fetch` is that of Node.js. */
export function requestsBy(fetch: typeof globalThis.fetch): RESTOptions['makeRequest'] {
  return (url, init) => fetch(url, init as RequestInit) as Promise<ResponseLike>;
}

/** A fully received response. */
export interface Exchange {
  status: number;
  headers: ResponseLike['headers'];
  /** The parsed JSON; undefined for an empty or non-JSON body, such as a proxy's page. */
  body: unknown;
}

/** Reads the body at once, so that no response keeps its connection busy. */
export async function readExchange(response: ResponseLike): Promise<Exchange> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}
