import type { ConsolePage } from '@latchkey/kernel';
import { createContext } from 'react';

/** The data that the server put into the page. */
export const PageContext = createContext<ConsolePage>({ page: 'console', server: '', build: '', methods: [] });

export const sessionKey = ['GET /latchkey/session'] as const;
