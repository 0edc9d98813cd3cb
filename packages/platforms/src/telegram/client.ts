import { setTimeout } from 'node:timers/promises';
import { PlatformFailed } from '@latchkey/core/ports';
import type { Clock } from '@latchkey/kernel';
import { Api, GrammyError, HttpError } from 'grammy';
import { needsAdvice } from './refusals.ts';

export interface TelegramOptions {
  token: string;
  /** https://api.telegram.org, or a self-hosted server. */
  apiUrl: string;
  clock: Clock;
  timeoutMs?: number;
  fetch: typeof globalThis.fetch;
  /** Telegram allows about 30 calls a second per bot, which all processes share. */
  callsPerSecond?: number;
  /** The clock that paces calls. */
  paceTime?: PaceTime;
  /** Called when Telegram refuses a call because the group was upgraded to a supergroup. */
  onUpgraded?(chatId: string, newChatId: string): void;
}

/** Runs a call of the Bot API and converts failures to `PlatformFailed`. Never passes the token on. */
export type TelegramCall = <Result>(
  call: (api: Api, signal: never) => Promise<Result>,
  signal?: AbortSignal,
) => Promise<Result>;

/** Creates the client of one bot. Calls are sent at an even pace, and none while Telegram demands a pause. */
export function createTelegramClient(options: TelegramOptions): TelegramCall {
  const { token, apiUrl, clock, timeoutMs = 15_000, callsPerSecond = 20 } = options;
  const api = new Api(token, {
    apiRoot: apiUrl,
    timeoutSeconds: Math.ceil(timeoutMs / 1000),
    fetch: fetchFor(options),
  });
  const pace = createPace(callsPerSecond, options.paceTime);
  let blockedUntilMs = 0;
  return async (call, signal) => {
    await pace(signal);
    const waitMs = blockedUntilMs - clock().getTime();
    if (waitMs > 0) throw limited(Math.ceil(waitMs / 1000));
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return await call(api, forGrammy(signal ? AbortSignal.any([signal, timeout]) : timeout));
    } catch (error) {
      // The error of an aborted call contains its URL, and so the token.
      signal?.throwIfAborted();
      const failure = toFailure(error);
      if (error instanceof GrammyError && error.error_code === 429)
        blockedUntilMs = clock().getTime() + (failure.retryAfterSeconds ?? 1) * 1000;
      if (error instanceof GrammyError) reportUpgrade(error, options);
      throw failure;
    }
  };
}

/** Makes grammY send its requests through egress. Its abort signals are of a library that `fetch` does not support. */
function fetchFor({ fetch }: TelegramOptions): never {
  const send = (url: string, { method, headers, body, signal }: RequestInit) => {
    const given = new AbortController();
    const abort = () => given.abort();
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    return fetch(url, { method, headers, body, signal: given.signal } as RequestInit);
  };
  return send as never; // grammY expects the type of node-fetch.
}

/** grammY declares its own signal type, which is structurally compatible with Node's. */
function forGrammy(signal: AbortSignal): never {
  return signal as never;
}

function limited(retryAfterSeconds: number): PlatformFailed {
  return new PlatformFailed('unavailable', 'Rate-limited by Telegram.', retryAfterSeconds);
}

function reportUpgrade({ parameters, payload }: GrammyError, { onUpgraded }: TelegramOptions): void {
  const [chatId, newChatId] = [Number(payload.chat_id), parameters.migrate_to_chat_id];
  if (Number.isSafeInteger(chatId) && Number.isSafeInteger(newChatId)) onUpgraded?.(String(chatId), String(newChatId));
}

function toFailure(error: unknown): PlatformFailed {
  if (error instanceof HttpError) return new PlatformFailed('unavailable', 'Telegram is not responding.', 30);
  if (!(error instanceof GrammyError)) throw error;
  const { error_code, parameters, description } = error;
  if (error_code === 429) return limited(parameters.retry_after ?? 1);
  if (error_code === 409)
    return new PlatformFailed('unavailable', 'Another program is polling this bot’s updates.', 60);
  if (error_code === 401 || error_code === 404)
    return new PlatformFailed(
      'not-configured',
      'Telegram rejected the bot token. Set LATCHKEY_TELEGRAM_BOT_TOKEN to the token that BotFather shows.',
    );
  if (error_code === 400 || error_code === 403) return needsAdvice(description);
  return new PlatformFailed('unavailable', `Telegram responded with error ${error_code}.`, 30);
}

/** The clock and timers that pacing needs. Tests advance them manually. */
interface PaceTime {
  /** Milliseconds since an arbitrary moment, monotonic. */
  nowMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const systemTime: PaceTime = {
  nowMs: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { ...(signal && { signal }) }),
};

/** Lets a fixed number of callers through per second, in the order they came. */
function createPace(
  perSecond: number,
  { nowMs, sleep }: PaceTime = systemTime,
): (signal?: AbortSignal) => Promise<void> {
  const gapMs = 1000 / perSecond;
  let nextAtMs = 0;
  return async (signal) => {
    const now = nowMs();
    const atMs = Math.max(now, nextAtMs);
    nextAtMs = atMs + gapMs;
    if (atMs > now) await sleep(atMs - now, signal);
  };
}
