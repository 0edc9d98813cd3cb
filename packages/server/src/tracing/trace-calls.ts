import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { openInner, type Span } from '@latchkey/db/origin';

/** What Node.js tells of its HTTP clients: `fetch` and undici, and `node:http`. */
type Told = Readonly<Record<string, unknown>>;

/**
 * Adds calls of others to the trace that is open: method, the end of the host name and status. Paths and headers hold
 * tokens, so they are left out. Answers how to stop.
 */
export function traceCalls(): () => void {
  const spans = new WeakMap<object, Span>();
  const begin = (request: unknown, host: string) => {
    const method = String(Object(request).method ?? 'GET');
    const facts = { 'http.request.method': method, 'server.address': endOf(host) };
    const span = openInner(() => ({ name: `${method} ${endOf(host)}`, kind: 'client', facts }));
    if (span !== undefined) spans.set(Object(request), span);
  };
  const answered = ({ request, response }: Told) => {
    const status = Number(Object(response).statusCode ?? 0);
    const span = spans.get(Object(request));
    span?.set({ 'http.response.status_code': status });
    finish(request, status >= 400 ? new Error(`${status}`) : undefined);
  };
  const failed = ({ request }: Told) => finish(request, new Error('The call failed.'));
  function finish(request: unknown, error?: Error): void {
    const span = spans.get(Object(request));
    spans.delete(Object(request));
    span?.end(error);
  }
  const channels: Readonly<Record<string, (told: Told) => void>> = {
    'undici:request:create': ({ request }) => begin(request, hostOf(String(Object(request).origin))),
    'undici:request:headers': answered,
    'undici:request:error': failed,
    'http.client.request.start': ({ request }) => begin(request, String(Object(request).host)),
    'http.client.response.finish': answered,
    'http.client.request.error': failed,
  };
  const listeners = Object.entries(channels).map(([name, hear]) => {
    const listener = (told: unknown) => hear(Object(told));
    subscribe(name, listener);
    return () => void unsubscribe(name, listener);
  });
  return () => {
    for (const stop of listeners) stop();
  };
}

function hostOf(origin: string): string {
  return URL.parse(origin)?.hostname ?? 'unknown';
}

/** Sub-domains may say whose service it is. */
function endOf(host: string): string {
  return /^[\d.]+$|^\[|:/.test(host) ? host : host.split('.').slice(-2).join('.');
}
