import { useEffect, useEffectEvent } from 'react';

interface Consent {
  /** Returns the URL at the other service. Its error is shown by the action itself. */
  begin(): Promise<{ url: string }>;
  finish(returned: { state: string; code: string }): void;
  onDenied(): void;
}

const ours = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri'];

/** Handles the redirect to another service and back, on which a user grants access. Returns a function that starts it. */
export function useConsent({ begin, finish, onDenied }: Consent): () => Promise<void> {
  const take = useEffectEvent((state: string, code: string | null) =>
    code === null ? onDenied() : finish({ state, code }),
  );
  useEffect(() => {
    const url = new URL(location.href);
    const state = url.searchParams.get('state');
    const code = url.searchParams.get('code');
    if (state === null) return;
    // The code can be used once and must not stay in the history.
    for (const name of ours) url.searchParams.delete(name);
    history.replaceState(history.state, '', url);
    take(state, code);
  }, []);
  return async () => {
    const begun = await begin().catch(() => undefined);
    if (begun !== undefined) location.assign(begun.url);
  };
}
