import { Alert, Button, Group, TextInput } from '@mantine/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { EmptyState, Loading, Section } from '../../shared/ui/index.ts';
import { claimsOf } from './attempt.ts';
import { askWho, type Exchange, exchangeCode } from './exchange.ts';
import { ExchangeCard, Lines } from './exchange-card.tsx';
import type { Returned } from './use-return.ts';

/** The steps after the browser came back: code, tokens, claims, first answer. */
export function Came({
  appId,
  isPublic,
  returned,
  onRestart,
}: {
  appId: string;
  isPublic: boolean;
  returned: Returned;
  onRestart(): void;
}) {
  const again = (
    <Button variant="default" onClick={onRestart}>
      Start over
    </Button>
  );
  if (returned.kind === 'foreign')
    return (
      <EmptyState title="This answer belongs to another login" action={again}>
        It was used already, or it was not started in this tab.
      </EmptyState>
    );
  if (returned.kind === 'refused')
    return (
      <Alert color="yellow" title={`The login ended with ${returned.error}`}>
        <p>{returned.description ?? 'The server gave no further reason.'}</p>
        {again}
      </Alert>
    );
  return (
    <>
      <Section
        title="1. The browser came back with a code"
        lead="It works once, for a minute, and only with the verifier that this tab kept."
      >
        <Lines text={`code: ${returned.code.slice(0, 8)}…\nstate: matches what was sent\niss: ${location.origin}`} />
      </Section>
      <Tokens appId={appId} isPublic={isPublic} returned={returned} />
      <Group justify="flex-end">{again}</Group>
    </>
  );
}

type Step =
  | { kind: 'waiting' }
  | { kind: 'running' }
  | { kind: 'done'; tokens: Exchange; who?: Exchange }
  | { kind: 'failed' };

function Tokens({
  appId,
  isPublic,
  returned: { code, attempt },
}: {
  appId: string;
  isPublic: boolean;
  returned: Extract<Returned, { kind: 'code' }>;
}) {
  const [secret, setSecret] = useState('');
  const [step, setStep] = useState<Step>({ kind: 'waiting' });
  const begun = useRef(false);
  const run = useCallback(
    async (clientSecret?: string) => {
      setStep({ kind: 'running' });
      try {
        const tokens = await exchangeCode(appId, clientSecret, code, attempt);
        const { access_token: token } = tokens.answer;
        setStep({ kind: 'done', tokens, ...(typeof token === 'string' && { who: await askWho(token) }) });
      } catch {
        setStep({ kind: 'failed' });
      }
    },
    [appId, code, attempt],
  );
  useEffect(() => {
    // A code works once, and React may run this twice.
    if (!isPublic || begun.current) return;
    begun.current = true;
    void run();
  }, [isPublic, run]);
  if (step.kind === 'running') return <Loading what="the tokens" />;
  if (step.kind === 'failed')
    return (
      <Alert color="yellow" title="The server could not be reached">
        The code may be used up. Start over once you are connected.
      </Alert>
    );
  if (step.kind === 'waiting')
    return isPublic ? null : (
      <Section
        title="2. Exchange the code for tokens"
        lead="Your server does this with its client secret. Paste it here to try; it is sent to this server only and not kept."
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void run(secret.trim());
          }}
        >
          <Group align="flex-end">
            <TextInput
              label="Client secret"
              type="password"
              autoComplete="off"
              value={secret}
              onChange={(event) => setSecret(event.currentTarget.value)}
            />
            <Button type="submit" disabled={secret.trim() === ''}>
              Get tokens
            </Button>
          </Group>
        </form>
      </Section>
    );
  return <Done tokens={step.tokens} who={step.who} />;
}

function Done({ tokens, who }: { tokens: Exchange; who: Exchange | undefined }) {
  const { id_token: idToken } = tokens.answer;
  const claims = typeof idToken === 'string' ? claimsOf(idToken) : undefined;
  return (
    <>
      <ExchangeCard title="2. The code was exchanged for tokens" exchange={tokens} />
      {claims !== undefined && (
        <Section
          title="3. What the ID token says"
          lead="Your program checks its signature with the keys of this server."
        >
          <Lines text={JSON.stringify(claims, null, 2)} />
        </Section>
      )}
      {who !== undefined && <ExchangeCard title="4. The first API answer" exchange={who} />}
    </>
  );
}
