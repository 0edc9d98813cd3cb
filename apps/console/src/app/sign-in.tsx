import { ApiError } from '@latchkey/client';
import { Alert, PasswordInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useContext, useEffect, useEffectEvent, useState } from 'react';
import { LoginMethods } from '../login/login-page.tsx';
import { askAsConsole, readRefusal } from '../shared/api/client.ts';
import { t } from '../shared/messages/index.ts';
import { Choices, Failure, Form } from '../shared/ui/index.ts';
import { PageContext, sessionKey, signIns } from './page-context.ts';

export interface SignInProps {
  isOverPage?: boolean;
  onDone?: () => void;
}

/**
 * The ways to sign in to the console. A wallet, a passkey or a key opens a session here. A chat platform redirects to its own site: over a
 * page with unsaved input, that happens in another tab.
 */
export function SignIn({ isOverPage = false, onDone }: SignInProps) {
  const { methods } = useContext(PageContext);
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const finish = async () => {
    await queries.invalidateQueries({ queryKey: sessionKey });
    onDone?.();
  };
  const open = async (headers: Record<string, string>) => {
    setError(undefined);
    try {
      await openSession(headers);
      signIns.postMessage('signed in');
      await finish();
    } catch (problem) {
      setError(problem);
    }
  };
  const signedInElsewhere = useEffectEvent(() => void finish());
  useEffect(() => {
    const received = () => signedInElsewhere();
    signIns.addEventListener('message', received);
    return () => signIns.removeEventListener('message', received);
  }, []);
  return (
    <Choices>
      <LoginMethods
        methods={methods}
        slug="console"
        isOverPage={isOverPage}
        onToken={(token) => void open({ authorization: `AE ${token}` })}
      />
      {isLimited(error) ? (
        <Alert role="alert" color="yellow" title={t('signIn.limitedTitle')}>
          {t('signIn.limited')}
        </Alert>
      ) : (
        <Failure error={error} />
      )}
      <OperatorKey onKey={(key) => open({ 'x-api-key': key })} />
    </Choices>
  );
}

/** A passkey has no more permissions than the sign-in it was created with, and a bot's link is a limited one. */
function isLimited(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'SCOPE_NOT_ALLOWED';
}

/** Exchanges a credential for the session of this browser. The response sets the cookie, which no script can read. */
async function openSession(headers: Record<string, string>): Promise<void> {
  const response = await askAsConsole('/latchkey/session', { method: 'POST', headers });
  if (!response.ok) throw await readRefusal(response);
}

/** Sign-in for the operator, with a key created on the command line. */
function OperatorKey({ onKey }: { onKey(key: string): Promise<void> }) {
  const [key, setKey] = useState('');
  const [isSending, setIsSending] = useState(false);
  const send = async () => {
    setIsSending(true);
    await onKey(key.trim());
    setIsSending(false);
  };
  return (
    <details>
      <summary>{t('signIn.operator')}</summary>
      <Form
        submit={t('signIn.asOperator')}
        isQuiet
        action={{ isRunning: isSending, error: null }}
        canSubmit={key.trim() !== ''}
        onSubmit={() => void send()}
      >
        <PasswordInput
          label={t('signIn.operatorKey')}
          description={t('signIn.operatorKeyHow')}
          autoComplete="off"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
      </Form>
    </details>
  );
}
