import type { ConsolePage } from '@latchkey/kernel';
import { createContext } from 'react';

/** The data that the server put into the page. */
export const PageContext = createContext<ConsolePage>({ page: 'console', server: '', build: '', methods: [] });

export const sessionKey = ['GET /latchkey/session'] as const;

/** Tabs of this browser share a session: a tab that signed in notifies the others. */
export const signIns = new BroadcastChannel('latchkey-sign-ins');
