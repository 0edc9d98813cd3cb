import { useSyncExternalStore } from 'react';
import { loadSettings } from '../../settings.ts';
import type { FetchedDescription } from './fetch-description.ts';
import { keepAddress, keptAddress } from './server-address.ts';

/** What is known about the server that the reader or the host of the site has chosen. */
export type Live =
  | { kind: 'waiting' }
  | { kind: 'unknown' }
  | { kind: 'loading'; address: string }
  | FetchedDescription;

const waiting: Live = { kind: 'waiting' };
let live: Live = waiting;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function show(next: Live): void {
  live = next;
  for (const listener of listeners) listener();
}

export function useLive(): Live {
  return useSyncExternalStore(
    subscribe,
    () => live,
    () => waiting,
  );
}

/** Determines the server once, and reads its description. Later pages of the same visit use the result. */
export async function startLive(baseUrl: string): Promise<void> {
  if (live.kind !== 'waiting') return;
  const address = keptAddress() ?? (await loadSettings(baseUrl)).apiUrl?.replace(/\/+$/, '');
  if (live.kind !== 'waiting') return;
  if (address === undefined) show({ kind: 'unknown' });
  else await fetchLive(address, baseUrl);
}

export async function chooseServer(address: string, baseUrl: string): Promise<void> {
  keepAddress(address);
  await fetchLive(address, baseUrl);
}

/** Switches back to the site's own server, if it has one. */
export async function forgetServer(baseUrl: string): Promise<void> {
  keepAddress(undefined);
  show(waiting);
  await startLive(baseUrl);
}

export async function fetchLive(address: string, baseUrl: string): Promise<void> {
  show({ kind: 'loading', address });
  const { fetchDescription } = await import('./fetch-description.ts');
  const result = await fetchDescription(address, baseUrl);
  // Another server may have been chosen meanwhile.
  if (live.kind === 'loading' && live.address === address) show(result);
}
