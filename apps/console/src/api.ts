import { type Client, createClient } from '@latchkey/client';
import { fetchFromServer } from './reach-server.ts';

/** Calls the published operations of the server that served the page. */
export type Call = Client;

/** Users see a failure at once and can retry themselves; `fetchFromServer` limits the time. */
const settings = { retries: 0, timeoutMs: Number.POSITIVE_INFINITY } as const;

/** The token of the page has expired. */
export class PageExpired extends Error {}

export function callAs(token: string): Call {
  return createClient({
    ...settings,
    baseUrl: location.origin,
    aeToken: token,
    fetch: async (input, init) => {
      const response = await fetchInPageLanguage(input, init);
      if (response.status === 401) throw new PageExpired();
      return response;
    },
  });
}

export function callAsAnyone(): Call {
  return createClient({ ...settings, baseUrl: location.origin, fetch: fetchInPageLanguage });
}

/** Sentences of the server stand among those of the page, whose language may be that of a chat app or of a link, not of the browser. */
function fetchInPageLanguage(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('accept-language', document.documentElement.lang);
  return fetchFromServer(input, { ...init, headers });
}
