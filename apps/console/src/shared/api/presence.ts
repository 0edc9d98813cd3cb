import { createContext, useContext } from 'react';

/** Asks the person to sign in again, and answers whether they did. */
export type ConfirmPresence = () => Promise<boolean>;

export const PresenceContext = createContext<ConfirmPresence>(() => Promise.resolve(false));

export function usePresence(): ConfirmPresence {
  return useContext(PresenceContext);
}
