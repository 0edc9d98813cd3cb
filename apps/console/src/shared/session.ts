import { createContext, useContext } from 'react';
import type { Answer } from './api/index.ts';

export type ConsoleSession = Answer<'GET /latchkey/session'>;

export const SessionContext = createContext<ConsoleSession | undefined>(undefined);

/** Returns the session. Only for screens, which are shown only to signed-in users. */
export function useSession(): ConsoleSession {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('There is no session outside of the screens.');
  return session;
}
