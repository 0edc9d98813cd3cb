import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId } from 'react';
import { connection } from '../connection/connection.ts';

/** The build of this app that the server serves; responses to the console contain it. */
export const buildHeader = 'x-latchkey-build';

/** The session cookie counts only together with this header, which pages of other sites cannot send. */
export const consoleHeaders = { 'x-latchkey-console': '1' } as const;

type LiveSource = { communityId: string } | 'account' | 'operator';
/** A notification that something of this kind has changed. The page reads the new state itself. */
interface LiveEvent {
  changed: string;
  id?: string;
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/**
 * Listens for changes and refetches the affected queries. A page whose stream ended says so in the connection banner, and catches up once
 * it is open again.
 */
export function useLive(source: LiveSource, onEvent?: (event: LiveEvent) => void): void {
  const queries = useQueryClient();
  const path = pathOf(source);
  const id = useId();
  useEffect(() => {
    const openedAtMs = Date.now();
    const received = (event: LiveEvent) => {
      askAgain(queries, (queryKey) => touches(event, queryKey));
      onEvent?.(event);
    };
    const messageOf = (isUp: boolean, wasDown: boolean) => {
      connection.stream(id, isUp);
      // Events sent meanwhile were missed.
      if (isUp && wasDown) askAgain(queries, () => true);
    };
    // The server sends what changed between the first reads and the opening of the stream.
    const address = () => `${path}?readSecondsAgo=${shownForSeconds(queries, openedAtMs, Date.now())}`;
    const stop = whileVisible((signal, isAgain) => void listen(address, signal, received, messageOf, isAgain));
    return () => {
      stop();
      connection.stream(id, true);
    };
  }, [path, id, queries, onEvent]);
}

/**
 * Keeps a stream open while the page is visible. Browsers open six connections to a server without HTTP/2, and a dozen tabs in the
 * background would use them all.
 */
function whileVisible(open: (signal: AbortSignal, isAgain: boolean) => void): () => void {
  let line: AbortController | undefined;
  let isAgain = false;
  const follow = () => {
    if (document.hidden) {
      line?.abort();
      line = undefined;
    } else if (line === undefined) {
      line = new AbortController();
      open(line.signal, isAgain);
      isAgain = true;
    }
  };
  follow();
  document.addEventListener('visibilitychange', follow);
  return () => {
    document.removeEventListener('visibilitychange', follow);
    line?.abort();
  };
}

/** The screen shows refusals, and an ended session has its own dialog: neither is a lost connection. */
class Refused extends Error {}

async function listen(
  address: () => string,
  signal: AbortSignal,
  received: (event: LiveEvent) => void,
  messageOf: (isUp: boolean, wasDown: boolean) => void,
  isAgain: boolean,
): Promise<void> {
  let pauseMs = firstPauseMs;
  let wasDown = isAgain;
  let lost = false;
  while (!signal.aborted) {
    try {
      const response = await fetchAsLive(address(), signal);
      if (response.status >= 500) throw new Error(`The stream failed with ${response.status}.`);
      connection.reached(response.headers.get(buildHeader));
      if (!response.ok) throw new Refused(`The stream was refused with ${response.status}.`);
      messageOf(true, wasDown);
      [pauseMs, wasDown] = [firstPauseMs, false];
      for await (const text of readEvents(response)) received(JSON.parse(text));
      lost = true;
    } catch (error) {
      lost = !(error instanceof Refused);
    }
    if (signal.aborted) return;
    wasDown = true;
    if (lost) messageOf(false, true);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  }
}

function pathOf(source: LiveSource): string {
  if (source === 'account') return '/latchkey/account/live';
  if (source === 'operator') return '/latchkey/live';
  return `/latchkey/communities/${encodeURIComponent(source.communityId)}/live`;
}

/** Which cached responses a change affects, by words in their routes. Routes that are not listed are affected by everything. */
const subjects: Readonly<Record<string, RegExp>> = {
  activity: /activity|audit|ledger|timeline|overview|health/,
  applications: /client-apps|application|authorizations|mini-?apps|dev-orgs|approvals|waiting|overview/,
  deliveries: /deliver/,
  jobs: /jobs|processes|health|overview/,
  keys: /keys|overview/,
  members: /member|role-checks|ledger|holders|activity|health|overview/,
  changeSets: /change-sets|events$|shadow|ledger|waiting|activity|health|overview|holders/,
  roles: /role|events$|rules|shadow|member|holders|activity|health|overview/,
  rules: /rule|events$|role|health|overview/,
  sessions: /session|application/,
  setup: /setup|join-message|arrivals|chat-roles|health|overview|profile|settings|communities$/,
  wallets: /wallet|treasuries|roles|hand-?over|chat-accounts/,
};

function touches({ changed }: LiveEvent, [route]: readonly unknown[]): boolean {
  if (typeof route !== 'string') return false;
  return subjects[changed]?.test(route) ?? true;
}

/** Yields the data of each server-sent event of a response, in order. Skips comments, which only keep the connection open. */
async function* readEvents(response: Response): AsyncGenerator<string> {
  if (!response.ok || response.body === null) throw new Error(`The events were refused with ${response.status}.`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    while (true) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).replaceAll('\r\n', '\n').split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = block
          .split('\n')
          .filter((line) => line.startsWith('data:'))
          .map((line) => line.slice(5).trimStart());
        if (data.length > 0) yield data.join('\n');
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

type Matches = (queryKey: readonly unknown[]) => boolean;

/** First requests in flight that have to be repeated. */
const requestedTwice = new WeakSet<Query>();

/**
 * Refetches matching queries. A first response in flight may predate the change, and cannot be canceled: it is fetched again when it has
 * arrived.
 */
export function askAgain(queries: QueryClient, matches: Matches): void {
  const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) => matches(queryKey);
  const first = queries.getQueryCache().findAll({ predicate }).filter(isFirst);
  void queries.invalidateQueries({ predicate });
  for (const query of first) void askOnceMore(queries, query);
}

/** Whether a query waits for its first response. */
export function isFirst(query: Query): boolean {
  return query.state.data === undefined && query.state.fetchStatus !== 'idle' && !requestedTwice.has(query);
}

async function askOnceMore(queries: QueryClient, query: Query): Promise<void> {
  requestedTwice.add(query);
  await query.promise?.catch(() => undefined);
  requestedTwice.delete(query);
  await queries.invalidateQueries({ queryKey: query.queryKey, exact: true });
}

const daySeconds = 86_400;

/** Returns for how many seconds the page's data has been there: the oldest response counts. The server accepts a day at most. */
export function shownForSeconds(queries: QueryClient, openedAtMs: number, nowMs: number): number {
  const shown = queries.getQueryCache().findAll({ type: 'active' });
  const answeredAtMs = shown.map(({ state }) => state.dataUpdatedAt).filter((atMs) => atMs > 0);
  const seconds = Math.ceil((nowMs - Math.min(openedAtMs, ...answeredAtMs)) / 1000);
  return Math.min(daySeconds, Math.max(0, seconds));
}

/** Opens an event stream, which stays open as long as the page listens. */
function fetchAsLive(path: string, signal: AbortSignal): Promise<Response> {
  return fetch(path, {
    headers: { ...consoleHeaders, accept: 'text/event-stream' },
    signal,
    credentials: 'same-origin',
  });
}
