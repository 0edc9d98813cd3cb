export interface JsonRequest {
  method: 'POST';
  headers: Record<string, string>;
  body: string;
  redirect: 'error';
  signal: AbortSignal;
}

/** The part of `fetch` that look-ups need. */
export type Fetch = (url: string, request: JsonRequest) => Promise<Pick<Response, 'ok' | 'text'>>;

export interface PostOptions {
  fetch: Fetch;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** Posts JSON and reads the JSON that comes back; undefined when no usable answer came in time. */
export async function postJson(url: string, body: unknown, options: PostOptions): Promise<unknown> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
  try {
    const response = await options.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal,
    });
    return response.ok ? JSON.parse(await response.text()) : undefined;
  } catch {
    return undefined;
  }
}

/** A field of an answer whose shape nobody vouches for. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
