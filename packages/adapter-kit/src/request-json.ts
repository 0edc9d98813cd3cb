import { setTimeout as wait } from 'node:timers/promises';
import { observed } from '@latchkey/kernel';
import { hostEndOf } from './host-end.ts';
import { readBytes } from './read-body.ts';
import { within } from './within.ts';

/** The part of `fetch` that readers need. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface JsonQuestion {
  /** The display name of the service. Reasons contain it, and never the URL, which may contain a key. */
  service: string;
  fetch: Fetch;
  /** The time limit for everything: waiting, retries, reading. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON by POST. Without it, the request is a GET. */
  body?: unknown;
  /** Statuses besides 200 to 299 that count as a result, such as 404 for an unknown item. */
  answers?: readonly number[] | undefined;
}

export interface JsonReply {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Why a service gave no usable response, as a readable sentence. */
export class ServiceFailed extends Error {
  override name = 'ServiceFailed';
}

const defaultTimeoutMs = 10_000;
const maxBytes = 8_000_000;
const maxTries = 3;
// A service that demands a longer wait than this is not retried now; the question is asked again in a later round.
const maxWaitMs = 2_000;

type Outcome = { reply: JsonReply } | { reason: string; retryAfterMs?: number };

/** Requests JSON from a service. Overload and transient failures are retried, all within one time limit. */
export async function requestJson(url: string, question: JsonQuestion): Promise<JsonReply> {
  const signal = within(question.timeoutMs ?? defaultTimeoutMs, question.signal);
  for (let tries = 1; ; tries += 1) {
    const outcome = await tryOnce(url, question, signal, tries);
    if (!question.signal?.aborted) reportOutcome(url, question, 'reply' in outcome);
    if ('reply' in outcome) return outcome.reply;
    const { reason, retryAfterMs } = outcome;
    if (retryAfterMs === undefined || retryAfterMs > maxWaitMs || tries === maxTries) {
      throw new ServiceFailed(`${question.service} ${reason}.`);
    }
    await wait(retryAfterMs, undefined, { signal }).catch(() => {
      throw new ServiceFailed(`${question.service} ${reason}, and no time was left to retry.`);
    });
  }
}

function reportOutcome(url: string, { service }: JsonQuestion, isGood: boolean): void {
  observed.endpointRead.record({ service, host: hostEndOf(url), outcome: isGood ? 'success' : 'failure' });
}

async function tryOnce(url: string, question: JsonQuestion, signal: AbortSignal, tries: number): Promise<Outcome> {
  const { fetch, headers, body, answers = [] } = question;
  try {
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal,
    });
    const { status } = response;
    if (response.ok || answers.includes(status)) return await readReply(response);
    await response.body?.cancel();
    if (status === 429) return { reason: 'is rate-limiting requests (429)', retryAfterMs: waitOf(response, tries) };
    if (status >= 500) return { reason: `failed (${status})`, retryAfterMs: waitOf(response, tries) };
    const isLocked = status === 401 || status === 403;
    return { reason: isLocked ? `did not accept the key (${status})` : `rejected the request (${status})` };
  } catch {
    if (question.signal?.aborted) return { reason: 'was canceled' };
    if (signal.aborted) return { reason: 'timed out' };
    return { reason: 'could not be reached', retryAfterMs: pauseMs(tries) };
  }
}

async function readReply(response: Response): Promise<Outcome> {
  const bytes = await readBytes(response, maxBytes);
  if (bytes === undefined) return { reason: 'sent a response that is too large' };
  const { status, headers, ok } = response;
  try {
    return { reply: { status, headers, body: JSON.parse(bytes.toString('utf8')) } };
  } catch {
    // A status such as 404 may be the whole answer.
    return ok ? { reason: 'sent something that is not JSON' } : { reply: { status, headers, body: undefined } };
  }
}

/** Returns the wait from Retry-After: seconds, or a date relative to the date of the response itself. */
function waitOf(response: Response, tries: number): number {
  const text = response.headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const waitMs = Date.parse(text) - Date.parse(response.headers.get('date') ?? '');
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : pauseMs(tries);
}

function pauseMs(tries: number): number {
  return 100 * 3 ** (tries - 1);
}
