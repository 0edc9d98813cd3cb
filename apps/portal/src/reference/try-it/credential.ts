import { useSyncExternalStore } from 'react';
import type { OperationModel } from '../../../reference/model.ts';

/** The credential that the reader entered. */
export interface Credential {
  kind: 'none' | 'api-key' | 'ae' | 'bearer' | 'application';
  secret: string;
}

/** The name of each kind, and its header. A variable replaces the credential wherever it is shown. */
export const credentialKinds = {
  none: { label: 'None' },
  'api-key': { label: 'API key', header: 'x-api-key', prefix: '', variable: 'API_KEY' },
  ae: { label: 'AE token', header: 'authorization', prefix: 'AE ', variable: 'TOKEN' },
  bearer: { label: 'Bearer token', header: 'authorization', prefix: 'Bearer ', variable: 'TOKEN' },
  application: { label: 'Client id:client secret', header: 'authorization', prefix: 'Basic ', variable: 'BASIC' },
} as const;

export const noCredential: Credential = { kind: 'none', secret: '' };

/** A credential of this tab, which all consoles on it share. It is stored nowhere else, and lasts for the tab. */
export interface CredentialStore {
  kinds: readonly Credential['kind'][];
  read(): Credential;
  keep(credential: Credential): void;
  forget(): void;
  subscribe(listener: () => void): () => void;
}

/** What the reader signs in with. */
export const readerStore: CredentialStore = createStore('latchkey.credential', ['none', 'api-key', 'ae', 'bearer']);
/** The application itself, as RFC 6749 has it: its id and secret in one, by HTTP Basic. */
const applicationStore: CredentialStore = createStore('latchkey.application', ['none', 'application']);

const ofApplications = /^\/oauth2\/(?:token|introspect|revoke)$/;

/** Returns where the credential for an operation is kept; undefined if it ignores credentials. */
export function storeFor({ path, isOpen }: Pick<OperationModel, 'path' | 'isOpen'>): CredentialStore | undefined {
  if (ofApplications.test(path)) return applicationStore;
  return isOpen ? undefined : readerStore;
}

/** The reader's own credential in this tab, unless another store is named. */
export function useCredential(store: CredentialStore = readerStore): Credential {
  return useSyncExternalStore(store.subscribe, store.read, () => noCredential);
}

function createStore(key: string, kinds: CredentialStore['kinds']): CredentialStore {
  let current: Credential | undefined;
  const listeners = new Set<() => void>();
  const keep = (credential: Credential) => {
    current = credential;
    try {
      if (credential.secret === '') sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify(credential));
    } catch {
      // Without storage, it lasts as long as the page.
    }
    for (const listener of listeners) listener();
  };
  return {
    kinds,
    keep,
    read: () => {
      current ??= storedCredential(key, kinds);
      return current;
    },
    forget: () => keep(noCredential),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function storedCredential(key: string, kinds: CredentialStore['kinds']): Credential {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return isCredential(stored, kinds) ? stored : noCredential;
  } catch {
    return noCredential;
  }
}

function isCredential(value: unknown, kinds: CredentialStore['kinds']): value is Credential {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    kinds.some((name) => name === value.kind) &&
    'secret' in value &&
    typeof value.secret === 'string'
  );
}
