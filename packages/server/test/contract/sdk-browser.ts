import type { Sdk } from '../harness/sdk-client.ts';

interface SentRequest {
  headers: Record<string, string>;
  redirect?: 'manual';
}

interface ReceivedAnswer {
  status: number;
  ok: boolean;
  headers: Record<string, string | string[]>;
  body?: unknown;
}

/** The SDK in a browser: it keeps cookies, and gets the target of a redirect instead of following it. */
export interface BrowserSdk extends Sdk {
  requestInterceptor(request: SentRequest): SentRequest;
  responseInterceptor(answer: ReceivedAnswer): ReceivedAnswer;
  /** Requests a URL that is not an operation, and returns where it redirects. */
  visit(address: string): Promise<string>;
}

export function inBrowser(sdk: Sdk): BrowserSdk {
  const cookies = new Map<string, string>();
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  // Cookies are not separated by path: of two with the same name the newer one is used.
  const keep = (lines: string) => {
    for (const [, name = '', value = ''] of lines.matchAll(/(?:^|, )([\w.]+)=([^;,]*);/g))
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
  };
  return {
    ...sdk,
    requestInterceptor: (request) => ({
      ...request,
      redirect: 'manual',
      headers: { ...request.headers, ...(cookies.size > 0 && { cookie: cookie() }) },
    }),
    responseInterceptor: (answer) => {
      keep([answer.headers['set-cookie'] ?? []].flat().join(', '));
      if (answer.status !== 302) return answer;
      // The SDK treats a redirect that was not followed as an error.
      return { ...answer, ok: true, body: answer.headers.location };
    },
    visit: async (address) => {
      const answer = await fetch(address, { headers: { cookie: cookie() }, redirect: 'manual' });
      keep(answer.headers.getSetCookie().join(', '));
      await answer.body?.cancel();
      return answer.headers.get('location') ?? '';
    },
  };
}
