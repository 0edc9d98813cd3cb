import { EgressFailed, EgressRefused, type EgressRequest, type EgressResponse } from '@latchkey/core/ports';
import { type buildConnector, Client } from 'undici';

export interface BoundedRequest extends EgressRequest {
  timeoutMs: number;
  maxResponseBytes: number;
}

/**
 * Makes one request on its own connection, which is closed afterwards. Reusing it would save a handshake, but a
 * receiver that drops idle connections would appear to be down, and the address would be checked only once.
 */
export async function exchange(
  connect: buildConnector.connector,
  url: URL,
  request: BoundedRequest,
): Promise<EgressResponse> {
  let connected = false;
  const client = new Client(url.origin, {
    connect: (options, callback) =>
      connect(options, (...outcome) => {
        connected = outcome[0] === null;
        callback(...outcome);
      }),
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: request.maxResponseBytes,
  });
  const limit = startLimit(url, request);
  try {
    return await Promise.race([limit.reached, roundTrip(client, url, request)]);
  } catch (error) {
    throw request.signal?.aborted ? request.signal.reason : explain(error, url, connected);
  } finally {
    limit.clear();
    client.destroy().catch(() => undefined);
  }
}

async function roundTrip(client: Client, url: URL, request: BoundedRequest): Promise<EgressResponse> {
  const { statusCode, headers, body } = await client.request({
    method: request.method,
    path: url.pathname + url.search,
    headers: request.headers ?? {},
    body: request.body ?? null,
  });
  const pairs = Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')] as const);
  return { status: statusCode, headers: Object.fromEntries(pairs), body: await body.bytes() };
}

/**
 * undici's own timeouts restart with every chunk and do not cover the name lookup; this one covers the whole exchange.
 */
function startLimit(url: URL, { timeoutMs, signal }: BoundedRequest) {
  const { promise: reached, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal?.reason);
  const late = () =>
    reject(new EgressFailed('timeout', `${url.host} did not send a complete response within ${timeoutMs} ms.`));
  const timer = setTimeout(late, timeoutMs);
  signal?.addEventListener('abort', stop, { once: true });
  const clear = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  };
  return { reached, clear };
}

function explain(error: unknown, url: URL, connected: boolean): unknown {
  if (error instanceof EgressRefused || error instanceof EgressFailed || !(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return new EgressFailed('timeout', `${url.host} took too long to connect.`);
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return new EgressFailed('too_large', `The response from ${url.host} is too large.`);
  }
  return connected
    ? new EgressFailed('protocol', `${url.host} closed the connection or did not send valid HTTP (${code}).`)
    : new EgressFailed('connect', `${url.host} could not be reached (${code}).`);
}
