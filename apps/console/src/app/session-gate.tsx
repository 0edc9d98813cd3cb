import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, SignedOut } from '../shared/api/index.ts';
import { type ConsoleSession, SessionContext } from '../shared/session.ts';
import { Failure, Loading } from '../shared/ui/index.ts';
import { sessionKey } from './page-context.ts';
import { SignInScreen } from './sign-in-screen.tsx';
import { SignedOutNotice } from './signed-out-notice.tsx';
import { useLastSession } from './use-last-session.ts';

/** Asks who is signed in, and shows the way in to whoever is not. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { data, error, isLoading, refetch } = useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => findSession(signal),
  });
  const last = useLastSession(data);
  if (isLoading) return <Loading what="the console" />;
  if (data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === null && last === undefined) return <SignInScreen />;
  return (
    <SessionContext value={data ?? last}>
      {data === null && <SignedOutNotice />}
      {children}
    </SessionContext>
  );
}

async function findSession(signal: AbortSignal): Promise<ConsoleSession | null> {
  try {
    return await ask('GET /latchkey/session', {}, signal);
  } catch (error) {
    if (error instanceof SignedOut) return null;
    throw error;
  }
}
