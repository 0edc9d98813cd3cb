import { createContext, useContext } from 'react';
import type { Answer } from './api/index.ts';

export type ConsoleSession = Answer<'GET /latchkey/session'>;

export const SessionContext = createContext<ConsoleSession | undefined>(undefined);

/** Who is signed in. Only screens use it, and screens are shown only to signed-in people. */
export function useSession(): ConsoleSession {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('There is no session outside of the screens.');
  return session;
}
