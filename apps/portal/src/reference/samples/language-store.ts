import { useSyncExternalStore } from 'react';
import { type Language, languageNames } from './languages.ts';

const key = 'latchkey.language';
let current: Language | undefined;
const listeners = new Set<() => void>();

/** The language that this tab shows all examples in. */
export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, currentLanguage, () => 'curl');
}

export function chooseLanguage(name: string): void {
  current = languageNames.find((one) => one === name) ?? 'curl';
  try {
    sessionStorage.setItem(key, current);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function currentLanguage(): Language {
  current ??= storedLanguage();
  return current;
}

function storedLanguage(): Language {
  try {
    const stored = sessionStorage.getItem(key);
    return languageNames.find((one) => one === stored) ?? 'curl';
  } catch {
    return 'curl';
  }
}
