import type { ConsolePage } from '@latchkey/kernel';
import { createContext } from 'react';

/** What the server told the page. */
export const PageContext = createContext<ConsolePage>({ page: 'console', server: '', build: '', methods: [] });

export const sessionKey = ['GET /latchkey/session'] as const;
