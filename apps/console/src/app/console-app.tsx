import type { ConsolePage } from '@latchkey/kernel';
import { MantineProvider } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { pauseBeforeRetry, SignedOut } from '../shared/api/index.ts';
import { mantineTheme } from './mantine-theme.ts';
import { PageContext, sessionKey } from './page-context.ts';
import { PresenceProvider } from './presence-provider.tsx';
import { createConsoleRouter } from './router.tsx';
import { SessionGate } from './session-gate.tsx';

const freshMs = 30_000;

/** The whole console: who is signed in, what is kept of the server's answers, and the screen that the address names. */
export function ConsoleApp({ data }: { data: ConsolePage }) {
  const [queries] = useState(createQueries);
  const [router] = useState(createConsoleRouter);
  return (
    <MantineProvider
      theme={mantineTheme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
    >
      <QueryClientProvider client={queries}>
        <PageContext value={data}>
          <SessionGate>
            <PresenceProvider>
              <RouterProvider router={router} />
            </PresenceProvider>
          </SessionGate>
        </PageContext>
      </QueryClientProvider>
    </MantineProvider>
  );
}

function createQueries(): QueryClient {
  // Whichever call finds the session over, the page asks who is signed in: nothing that was typed is lost over it.
  const onError = (error: unknown) => {
    if (error instanceof SignedOut) void queries.invalidateQueries({ queryKey: sessionKey });
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        // A server that is away for a moment is asked again; what it refuses, it refuses.
        retry: (failures, error) => failures < 1 && pauseBeforeRetry(error) !== undefined,
        retryDelay: (_failures, error) => pauseBeforeRetry(error) ?? 0,
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false },
    },
  });
  return queries;
}
