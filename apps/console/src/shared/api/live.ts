import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
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
    const end = new AbortController();
    const heard = (event: LiveEvent) => {
      void queries.invalidateQueries({ predicate: ({ queryKey }) => touches(event, queryKey) });
      onEvent?.(event);
    };
    void listen(path, end.signal, heard, (isUp, wasDown) => {
      setIsLive(isUp);
      // Whatever was said meanwhile was missed.
      if (isUp && wasDown) void queries.invalidateQueries();
    });
    return () => end.abort();
  }, [path, queries, onEvent]);
  return { isLive };
}

async function listen(
  path: string,
  signal: AbortSignal,
  heard: (event: LiveEvent) => void,
  said: (isUp: boolean, wasDown: boolean) => void,
): Promise<void> {
  let pauseMs = firstPauseMs;
  let wasDown = false;
  while (!signal.aborted) {
    try {
      const response = await fetchAsLive(path, signal);
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
  activity: /audit|activity|ledger|timeline/,
  applications: /client-apps|application|miniapps|dev-orgs|waiting|approvals/,
  jobs: /jobs|processes|health/,
  keys: /key/,
  members: /member|ledger|holders|activity|health|overview/,
  plans: /role-plans|ledger|waiting|activity|health|overview|rules/,
  roles: /role|member|holders|health|overview/,
  rules: /rule|role|health|overview/,
  sessions: /session|application/,
  setup: /set-?up|health|overview|settings|communities/,
  wallets: /wallet|roles|hand-?over/,
};

function touches({ changed }: LiveEvent, [route]: readonly unknown[]): boolean {
  if (typeof route !== 'string') return false;
  return subjects[changed]?.test(route) ?? true;
}
