import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { askAgain, shownForSeconds } from './ask-again.ts';
import { fetchAsLive } from './client.ts';
import { readEvents } from './read-events.ts';

export type LiveSource = { communityId: string } | 'account' | 'operator';
/** What the server says: something of this kind has changed. What it is now, the page asks. */
export interface LiveEvent {
  changed: string;
  id?: string;
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/**
 * Listens for changes and asks again what they touch. Answers whether the line is up: a page that lost it says so, and
 * catches up when it is back.
 */
export function useLive(source: LiveSource, onEvent?: (event: LiveEvent) => void): { isLive: boolean } {
  const queries = useQueryClient();
  const [isLive, setIsLive] = useState(true);
  const path = pathOf(source);
  useEffect(() => {
    const openedAtMs = Date.now();
    const heard = (event: LiveEvent) => {
      askAgain(queries, (queryKey) => touches(event, queryKey));
      onEvent?.(event);
    };
    const said = (isUp: boolean, wasDown: boolean) => {
      setIsLive(isUp);
      // Whatever was said meanwhile was missed.
      if (isUp && wasDown) askAgain(queries, () => true);
    };
    // What changed between the first reads and the line being up is said by the server.
    const address = () => `${path}?readSecondsAgo=${shownForSeconds(queries, openedAtMs, Date.now())}`;
    return whileVisible((signal, isAgain) => void listen(address, signal, heard, said, isAgain));
  }, [path, queries, onEvent]);
  return { isLive };
}

/**
 * Keeps a line open while the page is in sight. Browsers open six lines to a server without HTTP/2, and a dozen tabs in the
 * background would take them all.
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

async function listen(
  address: () => string,
  signal: AbortSignal,
  heard: (event: LiveEvent) => void,
  said: (isUp: boolean, wasDown: boolean) => void,
  isAgain: boolean,
): Promise<void> {
  let pauseMs = firstPauseMs;
  let wasDown = isAgain;
  while (!signal.aborted) {
    try {
      const response = await fetchAsLive(address(), signal);
      if (!response.ok) throw new Error(`The line was refused with ${response.status}.`);
      said(true, wasDown);
      [pauseMs, wasDown] = [firstPauseMs, false];
      for await (const text of readEvents(response)) heard(JSON.parse(text));
    } catch {
      // The pause below, whatever it was.
    }
    if (signal.aborted) return;
    wasDown = true;
    said(false, true);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  }
}

function pathOf(source: LiveSource): string {
  if (source === 'account') return '/latchkey/account/live';
  if (source === 'operator') return '/latchkey/live';
  return `/latchkey/communities/${encodeURIComponent(source.communityId)}/live`;
}

/** Which kept answers a change touches, by words in their routes. What is not listed is touched by everything. */
const subjects: Readonly<Record<string, RegExp>> = {
  activity: /activity|audit|ledger|timeline|overview|health/,
  applications: /client-apps|application|authorizations|mini-?apps|dev-orgs|approvals|waiting|overview/,
  deliveries: /deliver/,
  jobs: /jobs|processes|health|overview/,
  keys: /keys|overview/,
  members: /member|role-checks|ledger|holders|activity|health|overview/,
  changeSets: /change-sets|shadow|ledger|waiting|activity|health|overview|holders/,
  roles: /role|rules|shadow|member|holders|activity|health|overview/,
  rules: /rule|role|health|overview/,
  sessions: /session|application/,
  setup: /setup|arrivals|chat-roles|health|overview|profile|settings|communities$/,
  wallets: /wallet|treasuries|roles|hand-?over|chat-accounts/,
};

function touches({ changed }: LiveEvent, [route]: readonly unknown[]): boolean {
  if (typeof route !== 'string') return false;
  return subjects[changed]?.test(route) ?? true;
}
