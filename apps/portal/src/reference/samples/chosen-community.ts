import { useSyncExternalStore } from 'react';

const key = 'latchkey.community';
let current: string | undefined;
const listeners = new Set<() => void>();

/** The id of the community that the reader chose for all samples in this tab; empty until they choose one. */
export function useChosenCommunity(): string {
  return useSyncExternalStore(subscribe, readChosen, () => '');
}

export function chooseCommunity(id: string): void {
  current = id;
  try {
    sessionStorage.setItem(key, id);
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function readChosen(): string {
  if (current !== undefined) return current;
  try {
    current = sessionStorage.getItem(key) ?? '';
  } catch {
    current = '';
  }
  return current;
}
