import { readJson, within } from '@latchkey/adapter-kit';
import { PlatformFailed } from '@latchkey/core/ports';
import { type Clock, isObject } from '@latchkey/kernel';

export interface RedditOptions {
  /** The URL for everything except tokens: https://oauth.reddit.com. */
  apiUrl: string;
  /** The URL for tokens: https://www.reddit.com. */
  authUrl: string;
  clientId: string;
  clientSecret: string;
  clock: Clock;
  timeoutMs?: number;
  /** For both URLs. */
  fetch: typeof globalThis.fetch;
}

/** An account that granted a permanent token. */
export interface RedditCaller {
  get(path: string, signal?: AbortSignal): Promise<unknown>;
  post(path: string, fields: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<unknown>;
}

export type OpenCaller = (refreshToken: string) => RedditCaller;

export const redditUserAgent = 'node:latchkey:v0.78 (self-hosted)';
/** Reddit averages over ten minutes; the last few requests are kept for interactive actions. */
const spareRequests = 3;

interface Access {
  token: string;
  endsAtMs: number;
}

/** Calls Reddit's API as one application: refreshes tokens and stays within Reddit's rate limit. */
export function createRedditClient(options: RedditOptions): OpenCaller {
  const { apiUrl, authUrl, clock, timeoutMs = 15_000, fetch } = options;
  const basic = Buffer.from(`${options.clientId}:${options.clientSecret}`).toString('base64');
  const granted = new Map<string, Promise<Access>>();
  let blockedUntilMs = 0;

  const send = async (url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> => {
    const waitMs = blockedUntilMs - clock().getTime();
    if (waitMs > 0) throw limited(waitMs);
    try {
      return await fetch(url, {
        ...init,
        redirect: 'manual',
        headers: { 'user-agent': redditUserAgent, ...init.headers },
        signal: within(timeoutMs, signal),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new PlatformFailed('unavailable', 'Reddit is not responding.', 30);
    }
  };

  const renew = async (refreshToken: string): Promise<Access> => {
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
    const headers = { authorization: `Basic ${basic}` };
    const response = await send(`${authUrl}/api/v1/access_token`, { method: 'POST', headers, body }, undefined);
    const answer = await readJson(response);
    if (response.status >= 500 || response.status === 429)
      throw new PlatformFailed(
        'unavailable',
        `Reddit responded with status ${response.status} to a token request.`,
        30,
      );
    if (!response.ok)
      throw new PlatformFailed(
        'forbidden',
        'Reddit no longer accepts this community’s token. Link the subreddit again.',
      );
    if (!isObject(answer) || typeof answer.access_token !== 'string' || answer.access_token === '')
      throw new PlatformFailed('unavailable', 'Reddit sent an unexpected response.', 60);
    const lifetimeSeconds = typeof answer.expires_in === 'number' ? answer.expires_in : 3600;
    return { token: answer.access_token, endsAtMs: clock().getTime() + (lifetimeSeconds - 60) * 1000 };
  };

  const accessOf = async (refreshToken: string): Promise<string> => {
    const known = await granted.get(refreshToken)?.catch(() => undefined);
    if (known !== undefined && known.endsAtMs > clock().getTime()) return known.token;
    const fresh = renew(refreshToken);
    granted.set(refreshToken, fresh);
    fresh.catch(() => granted.delete(refreshToken));
    return (await fresh).token;
  };

  const call = async (refreshToken: string, path: string, init: RequestInit, signal?: AbortSignal) => {
    const authorization = `bearer ${await accessOf(refreshToken)}`;
    const response = await send(`${apiUrl}${path}`, { ...init, headers: { authorization } }, signal);
    const waitSeconds = pauseSeconds(response.headers);
    if (waitSeconds !== undefined) blockedUntilMs = clock().getTime() + waitSeconds * 1000;
    if (response.status === 429) throw limited((waitSeconds ?? 60) * 1000);
    if (response.status === 401) granted.delete(refreshToken);
    return readAnswer(response, await readJson(response));
  };

  return (refreshToken) => ({
    get: (path, signal) => call(refreshToken, path, { method: 'GET' }, signal),
    post: (path, fields, signal) =>
      call(refreshToken, path, { method: 'POST', body: new URLSearchParams({ api_type: 'json', ...fields }) }, signal),
  });
}

function limited(waitMs: number): PlatformFailed {
  return new PlatformFailed('unavailable', 'Rate-limited by Reddit.', Math.ceil(waitMs / 1000));
}

/** Returns how long to wait before the next request, if the response says that few are left. */
function pauseSeconds(headers: Headers): number | undefined {
  const remaining = Number(headers.get('x-ratelimit-remaining') ?? Number.NaN);
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN);
  return remaining < spareRequests && Number.isFinite(reset) ? Math.max(reset, 1) : undefined;
}

function readAnswer(response: Response, answer: unknown): unknown {
  if (response.ok) return answer;
  if (response.status === 404) throw new PlatformFailed('unknown-community', 'Subreddit not found on Reddit.');
  if (response.status === 403 || response.status === 401)
    throw new PlatformFailed(
      'forbidden',
      'Reddit denied access: the linked account must be a moderator who can manage flair and users.',
    );
  throw new PlatformFailed('unavailable', `Reddit responded with status ${response.status}.`, 30);
}
