import { setTimeout as wait } from 'node:timers/promises';
import { baseOf, readJson, within } from '@latchkey/adapter-kit';
import { DeskFailed, type DeskQuery, type DeskTicket, type Helpdesk } from '@latchkey/core/ports';

/** Freshdesk's maximum page size, and how many such pages are read at most. */
const perPage = 100;
const maxPages = 10;

/** Creates a client of Freshdesk's API version 2, with the key of an agent. */
export function createFreshdesk(options: FreshdeskOptions): Helpdesk {
  return {
    create: async (ticket, signal) => {
      const { body } = await askFreshdesk(options, { method: 'POST', path: '/tickets', body: ticket, signal });
      return asTicket(body);
    },
    list: async (query, signal) => {
      const found: DeskTicket[] = [];
      for (let page = 1; page <= maxPages; page += 1) {
        const path = `/tickets?${writeQuery(query, page)}`;
        const { body, hasNext } = await askFreshdesk(options, { method: 'GET', path, signal });
        if (!Array.isArray(body)) throw unreadable();
        found.push(...body.map(asTicket));
        if (!hasNext) break;
      }
      return found;
    },
  };
}

function writeQuery(query: DeskQuery, page: number): string {
  const named = {
    filter: query.filter,
    include: query.include,
    company_id: query.companyId,
    requester_id: query.requesterId,
    email: query.email,
    updated_since: query.updatedSince,
    order_by: query.orderBy,
    order_type: query.orderType,
    per_page: perPage,
    page,
  };
  const given = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return new URLSearchParams(given).toString();
}

function asTicket(value: unknown): DeskTicket {
  if (typeof value !== 'object' || value === null || !('id' in value)) throw unreadable();
  const { id } = value;
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw unreadable();
  return { ...value, id };
}

function unreadable(): DeskFailed {
  return new DeskFailed('unavailable', 'The help desk sent an invalid response.');
}

export interface FreshdeskOptions {
  /** For example https://acme.freshdesk.com. */
  url: string;
  /** The key of an agent. It is the user name of HTTP Basic; the password is ignored. */
  apiKey: string;
  fetch: typeof globalThis.fetch;
  /** The time limit for everything: waiting, retries, reading. */
  timeoutMs?: number | undefined;
}

interface Question {
  method: 'GET' | 'POST';
  /** Below /api/v2. */
  path: string;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

interface Reply {
  body: unknown;
  /** Whether the Link header names another page. */
  hasNext: boolean;
}

// If the desk requires a longer wait than this, the request fails with the wait time.
const maxWaitSeconds = 3;
const maxTries = 3;

/**
 * Sends a request to Freshdesk, and retries after a 429, since a rejected request had no effect. No other failure of a POST is retried: the
 * ticket may already exist.
 */
async function askFreshdesk(options: FreshdeskOptions, question: Question): Promise<Reply> {
  const signal = within(options.timeoutMs ?? 10_000, question.signal);
  for (let tries = 1; ; tries += 1) {
    const response = await send(options, question, signal);
    if (response.ok) return readReply(response);
    const failure = await failureOf(response);
    const { retryAfterSeconds = Number.POSITIVE_INFINITY } = failure;
    if (response.status !== 429 || retryAfterSeconds > maxWaitSeconds || tries === maxTries) throw failure;
    await wait(retryAfterSeconds * 1000, undefined, { signal }).catch(() => {
      throw failure;
    });
  }
}

async function send({ url, apiKey, fetch }: FreshdeskOptions, question: Question, signal: AbortSignal) {
  const { method, path, body } = question;
  try {
    return await fetch(`${baseOf(url)}/api/v2${path}`, {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(`${apiKey}:X`).toString('base64')}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal,
    });
  } catch {
    throw new DeskFailed('unavailable', 'The help desk cannot be reached.', 30);
  }
}

async function readReply(response: Response): Promise<Reply> {
  const body = await readJson(response);
  if (body === undefined) throw new DeskFailed('unavailable', 'The help desk sent an invalid response.');
  return { body, hasNext: /<[^>]+>\s*;\s*rel="next"/.test(response.headers.get('link') ?? '') };
}

async function failureOf(response: Response): Promise<DeskFailed> {
  const { status } = response;
  if (status === 400 || status === 409) return new DeskFailed('refused', await describe(response));
  await response.body?.cancel();
  if (status === 429) {
    const seconds = Number(response.headers.get('retry-after') ?? '60');
    return new DeskFailed('unavailable', 'Rate-limited by the help desk.', Number.isFinite(seconds) ? seconds : 60);
  }
  if (status === 401 || status === 403)
    return new DeskFailed('unavailable', 'The help desk rejected this server’s API key.', 3600);
  return new DeskFailed('unavailable', `The help desk failed with status ${status}.`, 30);
}

/** Returns the fields that Freshdesk rejected, and why. */
async function describe(response: Response): Promise<string> {
  const body = await readJson(response);
  const { errors } = Object(body) as { errors?: unknown };
  const complaints = (Array.isArray(errors) ? errors : []).slice(0, 5).map((error) => {
    const { field, message } = Object(error) as { field?: unknown; message?: unknown };
    return `${String(field ?? 'something').slice(0, 60)}: ${String(message ?? 'is not valid').slice(0, 200)}`;
  });
  return complaints.length === 0
    ? 'The help desk rejected the ticket.'
    : `The help desk rejected the ticket. ${complaints.join('; ')}`;
}
