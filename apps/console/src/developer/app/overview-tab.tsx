import { Alert, Button, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { IconClock } from '../../shared/icons.tsx';
import { ConfirmDialog, CopyText, Failure, Row, Section, Time } from '../../shared/ui/index.ts';
import { KeySection } from './key-section.tsx';
import { RenameForm } from './rename-form.tsx';
import { SecretSection } from './secret-section.tsx';
import type { App } from './types.ts';

export function OverviewTab({ app, appId }: { app: App; appId: string }) {
  return (
    <Stack>
      {app.status === 'PENDING' && <Waiting appId={appId} />}
      <Section title="Client ID" lead="Names the application in logins. It is no secret.">
        <CopyText text={appId} what="client ID" />
      </Section>
      <KeySection appId={appId} />
      {app.clientType === 'confidential' && <SecretSection appId={appId} />}
      <RenameForm appId={appId} name={app.name ?? ''} />
      <History app={app} />
      <Delete appId={appId} name={app.name ?? ''} />
    </Stack>
  );
}

const firstCheckMs = 3_000;

/** Where the operator opened scopes to everybody, the approval follows in a moment; else somebody has to look at it. */
function Waiting({ appId }: { appId: string }) {
  const { refetch, isFetching } = useOperation('GET /client-apps/{id}', { id: appId });
  useEffect(() => {
    const timer = setTimeout(() => void refetch(), firstCheckMs);
    return () => clearTimeout(timer);
  }, [refetch]);
  return (
    <Alert color="yellow" title="Waiting for the operator" icon={<IconClock aria-hidden="true" />}>
      <p>
        The key and logins work once the operator of this server has approved the application. You can set it up
        meanwhile.
      </p>
      <Button size="compact-sm" variant="default" loading={isFetching} onClick={() => void refetch()}>
        Check again
      </Button>
    </Alert>
  );
}

const actionWords: Readonly<Record<string, string>> = {
  create: 'Created',
  approve: 'Approved',
  reject: 'Rejected',
  revoke: 'Revoked',
  list: 'Listed',
  replace: 'Changed by the operator',
  rename: 'Renamed',
  'reset-api-key': 'API key replaced',
  'roll-api-key': 'API key replaced, with an overlap',
  'end-old-api-key': 'Replaced API key ended',
  'reset-client-secret': 'Client secret replaced',
  'reset-webhook-secret': 'Webhook secret replaced',
  'set-webhook': 'Webhook changed',
  'remove-webhook': 'Webhook removed',
  'enable-webhook': 'Webhook switched on by the operator',
  'disable-webhook': 'Webhook switched off by the operator',
  'set-origins': 'Origins changed',
  'set-redirect-uris': 'Redirect URIs changed',
  'request-scopes': 'Scopes requested',
};

function History({ app }: { app: App }) {
  const latest = (app.actions ?? []).slice(-20).reverse();
  return (
    <Section title="History">
      {latest.map(({ action, timestamp, notes }) => (
        <Row
          key={`${timestamp} ${action}`}
          title={actionWords[action] ?? action}
          note={
            <>
              <Time at={timestamp} />
              {notes !== undefined && ` · ${notes}`}
            </>
          }
        />
      ))}
    </Section>
  );
}

function Delete({ appId, name }: { appId: string; name: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const navigate = useNavigate();
  const remove = useAction('DELETE /client-apps/{id}', {
    changes: ['GET /client-apps'],
    onDone: () => void navigate({ to: '/developers' }),
  });
  return (
    <Section
      title="Delete the application"
      lead="Its key and every login with it stop at once. This cannot be undone."
      actions={
        <Button color="red" variant="light" onClick={() => setIsAsking(true)}>
          Delete application
        </Button>
      }
    >
      <Failure error={remove.error} />
      <ConfirmDialog
        isOpen={isAsking}
        title={`Delete ${name}?`}
        yes="Delete application"
        isDangerous
        isRunning={remove.isRunning}
        error={remove.error}
        onYes={() => remove.run({ id: appId })}
        onNo={() => setIsAsking(false)}
      >
        Its key and every login with it stop at once.
      </ConfirmDialog>
    </Section>
  );
}
