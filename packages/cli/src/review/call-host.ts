import { setTimeout as delay } from 'node:timers/promises';
import { UsageError } from '../problems.ts';

export interface HostRequest {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT';
  headers: Readonly<Record<string, string>>;
  body?: object;
}

const timeoutMs = 30_000;
const mostTries = 4;
const longestWaitSeconds = 60;

/** Calls a code host and returns its answer. Only reads are tried again, because a repeated comment would be a second one. */
export async function callHost(url: URL, { method = 'GET', headers, body }: HostRequest): Promise<unknown> {
  const init: RequestInit = {
    method,
    headers: { ...headers, 'user-agent': 'latchkey-cli', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    // A redirect could carry the token elsewhere.
    redirect: 'error',
  };
  for (let tries = 1; ; tries += 1) {
    const canRepeat = method === 'GET' && tries < mostTries;
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => {
      if (canRepeat) return undefined;
      throw new UsageError(`Cannot reach ${url.host}: ${error instanceof Error ? error.message : String(error)}`);
    });
    if (response?.ok) return response.json();
    if (canRepeat && (response === undefined || [429, 500, 502, 503, 504].includes(response.status))) {
      const seconds = Number(response?.headers.get('retry-after') ?? tries);
      await delay(Math.min(Number.isFinite(seconds) ? seconds : tries, longestWaitSeconds) * 1_000);
      continue;
    }
    const text = (await response?.text())?.slice(0, 300) ?? '';
    throw new UsageError(`${url.host} refused ${method} ${url.pathname} with status ${response?.status}: ${text}`);
  }
}

const pageSize = 100;
const mostPages = 50;

/** Reads every page of a list. */
export async function listAll(url: URL, headers: HostRequest['headers']): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    url.searchParams.set('per_page', String(pageSize));
    url.searchParams.set('page', String(page));
    const found = await callHost(url, { headers });
    if (!Array.isArray(found)) throw new UsageError(`${url.host} returned no list for ${url.pathname}.`);
    all.push(...found);
    if (found.length < pageSize) return all;
  }
  throw new UsageError(`${url.pathname} of ${url.host} has more than ${pageSize * mostPages} entries.`);
}
