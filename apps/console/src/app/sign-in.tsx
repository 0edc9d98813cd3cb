import { ApiError } from '@latchkey/client';
import { Alert } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { LoginMethods } from '../login/login-page.tsx';
import { Choices, Failure } from '../shared/ui/index.ts';
import { openSession } from './open-session.ts';
import { OperatorKey } from './operator-key.tsx';
import { PageContext, sessionKey } from './page-context.ts';

/** The ways to sign in to the console. A wallet, a passkey or a key opens a session here; a chat platform leads away. */
export function SignIn({ onDone }: { onDone?: () => void }) {
  const { methods } = useContext(PageContext);
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const open = async (headers: Record<string, string>) => {
    setError(undefined);
    try {
      await openSession(headers);
      await queries.invalidateQueries({ queryKey: sessionKey });
      onDone?.();
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Choices>
      <LoginMethods methods={methods} slug="console" onToken={(token) => void open({ authorization: `AE ${token}` })} />
      {isLimited(error) ? (
        <Alert role="alert" color="yellow" title="This does not sign in to the console">
          It was made on a page that a bot linked to, and is good for linking wallets and for other apps. Sign in with a
          wallet or a chat account, then add a passkey under My account.
        </Alert>
      ) : (
        <Failure error={error} />
      )}
      <OperatorKey onKey={(key) => open({ 'x-api-key': key })} />
    </Choices>
  );
}

/** A passkey can do no more than whoever made it could, and a link that a bot gave cannot do everything. */
function isLimited(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'SCOPE_NOT_ALLOWED';
}
