import { useSyncExternalStore } from 'react';

let current: HTMLElement | null = null;
const listeners = new Set<() => void>();

/** Called with the element of the navigation bar that holds the button. Every page brings its own. */
export function setPlace(element: HTMLElement | null): void {
  current = element;
  for (const listener of listeners) listener();
}

export function usePlace(): HTMLElement | null {
  return useSyncExternalStore(subscribe, () => current);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
