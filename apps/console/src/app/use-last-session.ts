import { useRef } from 'react';

/** Who was signed in before the session ended: their screen stays, with what they typed, until they sign in again. */
export function useLastSession<Session>(session: Session | null | undefined): Session | undefined {
  const last = useRef<Session>(undefined);
  if (session !== null && session !== undefined) last.current = session;
  return last.current;
}
