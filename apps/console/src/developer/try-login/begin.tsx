import { Alert, Button, Checkbox, Group, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { IconCheck, IconX } from '../../shared/icons.tsx';
import { CopyText, Failure, Section } from '../../shared/ui/index.ts';
import legendStyles from '../legend.module.css';
import { authorizeUrl, keepAttempt, newAttempt } from './attempt.ts';
import styles from './try-login.module.css';

type App = Answer<'GET /client-apps/{id}'>;

/** What has to be right before a login works, and the scopes to ask for. */
export function Begin({ app, appId, onCheck }: { app: App; appId: string; onCheck(): void }) {
  const redirectUri = `${location.origin}${location.pathname}`;
  const overview = useOperation('GET /latchkey/client-apps/{id}/overview', { id: appId });
  const granted = (overview.data?.scopes ?? []).filter(({ state }) => state === 'granted');
  const [left, setLeft] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<unknown>();
  const add = useAction('PUT /latchkey/client-apps/{id}/redirect-uris', { changes: ['GET /client-apps/{id}'] });
  const isApproved = app.status === 'APPROVED' || app.status === 'LISTED';
  const isKnown = (app.redirectUris ?? []).includes(redirectUri);
  const scopes = ['openid', 'profile', ...granted.map(({ scope }) => scope)].filter((scope) => !left.includes(scope));
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
    <Section title="Before you begin">
      <ul className={styles.checks}>
        <Check
          isDone={isApproved}
          done="The application is approved."
          missing="The operator has not approved the application yet."
          action={
            <Button size="compact-sm" variant="default" onClick={onCheck}>
              Check again
            </Button>
          }
        />
        <Check
          isDone={isKnown}
          done="This page is among its redirect URIs."
          missing="This page is not among its redirect URIs."
          action={
            <Button
              size="compact-sm"
              loading={add.isRunning}
              onClick={() => add.run({ id: appId, body: { redirectUris: [...(app.redirectUris ?? []), redirectUri] } })}
            >
              Add this page
            </Button>
          }
        />
      </ul>
      <CopyText text={redirectUri} what="redirect URI" />
      <Failure error={add.error ?? overview.error} />
      <Stack gap="xs" component="fieldset" p={0} m={0} bd={0}>
        <legend className={legendStyles.legend}>Ask for</legend>
        <Checkbox checked readOnly label="Who you are" description="openid profile" />
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
        <Alert color="red" title="This browser cannot start the login">
          It needs https, or an address on this machine.
        </Alert>
      )}
      <Group justify="flex-end">
        <Button disabled={!isApproved || !isKnown} onClick={() => void start()}>
          Start the login
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
      {isDone ? <IconCheck size={18} aria-hidden="true" /> : <IconX size={18} aria-hidden="true" />}
      <div>
        <span>{isDone ? done : missing}</span>
        {!isDone && action}
      </div>
    </li>
  );
}
