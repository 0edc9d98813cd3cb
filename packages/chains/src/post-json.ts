import { type Fetch, readJson, within } from '@latchkey/adapter-kit';

export interface PostOptions {
  fetch: Fetch;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** Posts JSON and returns the JSON response; undefined if no usable response arrived in time. */
export async function postJson(url: string, body: unknown, options: PostOptions): Promise<unknown> {
  try {
    const response = await options.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: within(options.timeoutMs, options.signal),
    });
    return response.ok ? await readJson(response) : undefined;
  } catch {
    return undefined;
  }
}
