import { useSyncExternalStore } from 'react';

/** The credential that the reader entered. */
export interface Credential {
  kind: 'none' | 'api-key' | 'ae' | 'bearer';
  secret: string;
}

/** The name of each kind, and its header. A variable replaces the credential wherever it is shown. */
export const credentialKinds = {
  none: { label: 'None' },
  'api-key': { label: 'API key', header: 'x-api-key', prefix: '', variable: 'API_KEY' },
  ae: { label: 'AE token', header: 'authorization', prefix: 'AE ', variable: 'TOKEN' },
  bearer: { label: 'Bearer token', header: 'authorization', prefix: 'Bearer ', variable: 'TOKEN' },
} as const;

export const credentialKindNames = ['none', 'api-key', 'ae', 'bearer'] as const;

const key = 'latchkey.credential';
export const noCredential: Credential = { kind: 'none', secret: '' };
let current: Credential | undefined;
const listeners = new Set<() => void>();

/** The credential of this tab, which all consoles on it share. It is stored nowhere else, and lasts for the tab. */
export function useCredential(): Credential {
  return useSyncExternalStore(subscribe, currentCredential, () => noCredential);
}

export function keepCredential(credential: Credential): void {
  current = credential;
  try {
    if (credential.secret === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(credential));
  } catch {
    // Without storage, it lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

export function forgetCredential(): void {
  keepCredential(noCredential);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function currentCredential(): Credential {
  current ??= storedCredential();
  return current;
}

function storedCredential(): Credential {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return isCredential(stored) ? stored : noCredential;
  } catch {
    return noCredential;
  }
}

function isCredential(value: unknown): value is Credential {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    credentialKindNames.some((name) => name === value.kind) &&
    'secret' in value &&
    typeof value.secret === 'string'
  );
}
