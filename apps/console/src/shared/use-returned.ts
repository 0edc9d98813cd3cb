import { useEffect, useEffectEvent } from 'react';

/** What another service sent the browser back with. */
export interface Returned {
  state: string;
  /** Absent when the person did not allow it. */
  code?: string;
}

const ours = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri'];

/** Takes what another service sent the browser back with, and takes it out of the address: the code works once. */
export function useReturned(onReturn: (returned: Returned) => void): void {
  const take = useEffectEvent(onReturn);
  useEffect(() => {
    const url = new URL(location.href);
    const state = url.searchParams.get('state');
    const code = url.searchParams.get('code');
    if (state === null) return;
    for (const name of ours) url.searchParams.delete(name);
    history.replaceState(history.state, '', url);
    take({ state, ...(code !== null && { code }) });
  }, []);
}
