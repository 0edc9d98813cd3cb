import { useState } from 'react';
import { type Attempt, takeAttempt } from './attempt.ts';

/** The result in the URL when the browser was redirected back. */
export type Returned =
  | { kind: 'code'; code: string; attempt: Attempt }
  | { kind: 'refused'; error: string; description: string | undefined }
  | { kind: 'foreign' };

// Kept outside of the component: React may mount it twice, and an attempt can be used once.
const taken = new Map<string, Returned>();

/** Reads the result of the sign-in once, and removes the code from the URL and the history. */
export function useReturn(appId: string): { returned: Returned | undefined; restart(): void } {
  const [returned, setReturned] = useState(() => taken.get(appId) ?? read(appId));
  const restart = () => {
    taken.delete(appId);
    setReturned(undefined);
  };
  return { returned, restart };
}

function read(appId: string): Returned | undefined {
  const query = new URLSearchParams(location.search);
  const [code, error] = [query.get('code'), query.get('error')];
  if (code === null && error === null) return undefined;
  history.replaceState(history.state, '', location.pathname);
  const attempt = takeAttempt(appId);
  const returned = toReturned(query, attempt);
  taken.set(appId, returned);
  return returned;
}

// A result that this page did not request is not used, and neither is one of another server (RFC 9207).
function toReturned(query: URLSearchParams, attempt: Attempt | undefined): Returned {
  if (attempt === undefined || query.get('state') !== attempt.state) return { kind: 'foreign' };
  const issuer = query.get('iss');
  if (issuer !== null && new URL(issuer).origin !== location.origin) return { kind: 'foreign' };
  const code = query.get('code');
  if (code !== null) return { kind: 'code', code, attempt };
  return {
    kind: 'refused',
    error: query.get('error') ?? 'unknown',
    description: query.get('error_description') ?? undefined,
  };
}
