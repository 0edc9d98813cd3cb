import { Alert, Button, Checkbox, Code, Group, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { IconCheck, IconX } from '../../shared/icons.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { CopyText, EmptyState, Failure, Form, Loading, Page, Section, State } from '../../shared/ui/index.ts';
import legendStyles from '../legend.module.css';
import { t } from '../messages/index.ts';
import { Unread } from '../parts.tsx';
import { type Attempt, authorizeUrl, claimsOf, keepAttempt, newAttempt } from './attempt.ts';
import styles from './try-login.module.css';
import { type Returned, useReturn } from './use-return.ts';

export function View() {
  const { appId } = useScreenParams('appId');
  const { data: app, error, refetch } = useOperation('GET /client-apps/{id}', { id: appId });
  const { returned, restart } = useReturn(appId);
  if (app === undefined)
    return (
      <Unread title={t('tryLogin.title')} loading={t('app.loading')} error={error} onRetry={() => void refetch()} />
    );
  return (
    <Page
      title={t('tryLogin.title')}
      lead={t('tryLogin.lead')}
      crumbs={[
        { to: '/developers', title: t('developers.title') },
        { to: `/developers/apps/${appId}`, title: app.name ?? t('app.title') },
      ]}
    >
      {returned === undefined ? (
        <Begin app={app} appId={appId} onCheck={() => void refetch()} />
      ) : (
        <Came appId={appId} isPublic={app.clientType === 'public'} returned={returned} onRestart={restart} />
      )}
    </Page>
  );
}

type App = Answer<'GET /client-apps/{id}'>;

const identityScopes = ['openid', 'profile'];

/** What has to be configured before a sign-in works, and the scopes to request. */
function Begin({ app, appId, onCheck }: { app: App; appId: string; onCheck(): void }) {
  const redirectUri = `${location.origin}${location.pathname}`;
  const overview = useOperation('GET /latchkey/client-apps/{id}/overview', { id: appId });
  const granted = (overview.data?.scopes ?? []).filter(({ state }) => state === 'granted');
  const [left, setLeft] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<unknown>();
  const add = useAction('PUT /latchkey/client-apps/{id}/redirect-uris', { changes: ['GET /client-apps/{id}'] });
  const isApproved = app.status === 'APPROVED' || app.status === 'LISTED';
  const isKnown = (app.redirectUris ?? []).includes(redirectUri);
  const scopes = [...identityScopes, ...granted.map(({ scope }) => scope)].filter((scope) => !left.includes(scope));
  const start = async () => {
    try {
      const attempt = await newAttempt(scopes.join(' '), redirectUri);
      keepAttempt(appId, attempt);
      location.assign(await authorizeUrl(appId, attempt));
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <Section title={t('tryLogin.before')}>
      <ul className={styles.checks}>
        <Check
          isDone={isApproved}
          done={t('tryLogin.approved')}
          missing={t('tryLogin.notApproved')}
          action={
            <Button size="compact-sm" variant="default" onClick={onCheck}>
              {t('common.checkAgain')}
            </Button>
          }
        />
        <Check
          isDone={isKnown}
          done={t('tryLogin.known')}
          missing={t('tryLogin.notKnown')}
          action={
            <Button
              size="compact-sm"
              loading={add.isRunning}
              onClick={() => add.run({ id: appId, body: { redirectUris: [...(app.redirectUris ?? []), redirectUri] } })}
            >
              {t('tryLogin.addPage')}
            </Button>
          }
        />
      </ul>
      <CopyText text={redirectUri} what={t('tryLogin.redirectUri')} />
      <Failure error={add.error ?? overview.error} />
      <Stack gap="xs" component="fieldset" p={0} m={0} bd={0}>
        <legend className={legendStyles.legend}>{t('tryLogin.askFor')}</legend>
        <Checkbox checked readOnly label={t('tryLogin.whoYouAre')} description={identityScopes.join(' ')} />
        {granted.map(({ scope, description }) => (
          <Checkbox
            key={scope}
            checked={!left.includes(scope)}
            label={description}
            description={scope}
            onChange={({ currentTarget }) =>
              setLeft((now) => (currentTarget.checked ? now.filter((one) => one !== scope) : [...now, scope]))
            }
          />
        ))}
      </Stack>
      {problem !== undefined && (
        <Alert color="red" title={t('tryLogin.cannotStart')}>
          {t('tryLogin.cannotStartWhy')}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button disabled={!isApproved || !isKnown} onClick={() => void start()}>
          {t('tryLogin.start')}
        </Button>
      </Group>
    </Section>
  );
}

function Check({
  isDone,
  done,
  missing,
  action,
}: {
  isDone: boolean;
  done: string;
  missing: string;
  action: ReactNode;
}) {
  return (
    <li>
      {isDone ? <IconCheck size={18} /> : <IconX size={18} />}
      <div>
        <span>{isDone ? done : missing}</span>
        {!isDone && action}
      </div>
    </li>
  );
}

/** The steps after the redirect: code, tokens, claims, first response. */
function Came({
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
      {t('tryLogin.startOver')}
    </Button>
  );
  if (returned.kind === 'foreign')
    return (
      <EmptyState title={t('tryLogin.foreign')} action={again}>
        {t('tryLogin.foreignWhy')}
      </EmptyState>
    );
  if (returned.kind === 'refused')
    return (
      <Alert color="yellow" title={t('tryLogin.refused', { error: returned.error })}>
        <p>{returned.description ?? t('tryLogin.refusedNoReason')}</p>
        {again}
      </Alert>
    );
  return (
    <>
      <Section title={t('tryLogin.cameBack')} lead={t('tryLogin.cameBackLead')}>
        <Lines text={t('tryLogin.returned', { code: returned.code.slice(0, 8), issuer: location.origin })} />
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
    // A code can be used once, and React may run this twice.
    if (!isPublic || begun.current) return;
    begun.current = true;
    void run();
  }, [isPublic, run]);
  if (step.kind === 'running') return <Loading text={t('tryLogin.loadingTokens')} />;
  if (step.kind === 'failed')
    return (
      <Alert color="yellow" title={t('tryLogin.unreachable')}>
        {t('tryLogin.unreachableNote')}
      </Alert>
    );
  if (step.kind === 'waiting')
    return isPublic ? null : (
      <Section title={t('tryLogin.exchange')} lead={t('tryLogin.exchangeLead')}>
        <Form
          isInline
          submit={t('tryLogin.getTokens')}
          canSubmit={secret.trim() !== ''}
          onSubmit={() => void run(secret.trim())}
        >
          <TextInput
            label={t('common.clientSecret')}
            type="password"
            autoComplete="off"
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value)}
          />
        </Form>
      </Section>
    );
  return <Done tokens={step.tokens} who={step.who} />;
}

function Done({ tokens, who }: { tokens: Exchange; who: Exchange | undefined }) {
  const { id_token: idToken } = tokens.answer;
  const claims = typeof idToken === 'string' ? claimsOf(idToken) : undefined;
  return (
    <>
      <ExchangeCard title={t('tryLogin.exchanged')} exchange={tokens} />
      {claims !== undefined && (
        <Section title={t('tryLogin.claims')} lead={t('tryLogin.claimsLead')}>
          <Lines text={JSON.stringify(claims, null, 2)} />
        </Section>
      )}
      {who !== undefined && <ExchangeCard title={t('tryLogin.answer')} exchange={who} />}
    </>
  );
}

/** A request and its response. Tokens are truncated: they are credentials. */
function ExchangeCard({ title, exchange: { request, status, answer } }: { title: string; exchange: Exchange }) {
  return (
    <Section title={title} actions={<State tone={status < 400 ? 'good' : 'bad'}>{status}</State>}>
      <Lines text={request} />
      <Lines text={JSON.stringify(shorten(answer), null, 2)} />
    </Section>
  );
}

function Lines({ text }: { text: string }) {
  return (
    <Code block className={styles.lines} tabIndex={0}>
      {text}
    </Code>
  );
}

function shorten(answer: Record<string, unknown>): Record<string, unknown> {
  const isToken = (name: string, value: unknown): value is string =>
    name.endsWith('_token') && typeof value === 'string';
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, isToken(name, value) ? `${value.slice(0, 10)}…` : value]),
  );
}

/** A request and its response, for display. */
interface Exchange {
  request: string;
  status: number;
  answer: Record<string, unknown>;
}

const patienceMs = 30_000;

/** Exchanges the code for tokens (RFC 6749 4.1.3). Without the cookie: an application has none. */
async function exchangeCode(
  clientId: string,
  clientSecret: string | undefined,
  code: string,
  { redirectUri, verifier }: Attempt,
): Promise<Exchange> {
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
  };
  const shown = { ...form, ...(clientSecret !== undefined && { client_secret: '…' }) };
  return send('POST', '/oauth2/token', shown, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
}

/** Reads from the API who signed in. */
function askWho(accessToken: string): Promise<Exchange> {
  return send(
    'GET',
    '/account/me',
    { authorization: 'Bearer …' },
    { headers: { authorization: `Bearer ${accessToken}` } },
  );
}

async function send(
  method: 'GET' | 'POST',
  path: string,
  shown: Record<string, string>,
  init: Pick<RequestInit, 'body' | 'headers'>,
): Promise<Exchange> {
  const response = await fetch(path, {
    ...init,
    method,
    credentials: 'omit',
    signal: AbortSignal.timeout(patienceMs),
  });
  const lines = Object.entries(shown).map(([name, value]) => `${name}: ${value}`);
  const answer: Record<string, unknown> = await response.json().catch(() => ({}));
  return { request: [`${method} ${location.origin}${path}`, ...lines].join('\n'), status: response.status, answer };
}
