import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { IconClock } from '../../shared/icons.tsx';
import {
  ConfirmButton,
  CopyText,
  Failure,
  Form,
  NewSecrets,
  Section,
  State,
  Time,
  useForm,
} from '../../shared/ui/index.ts';
import { ActionHistory } from '../parts.tsx';
import { RollDialog } from './roll-dialog.tsx';

export type App = Answer<'GET /client-apps/{id}'>;

export function OverviewTab({ app, appId }: { app: App; appId: string }) {
  return (
    <Stack>
      {app.status === 'PENDING' && <Waiting appId={appId} />}
      <Section title="Client ID" lead="Identifies the application when users sign in. It is not a secret.">
        <CopyText text={appId} what="client ID" />
      </Section>
      <KeySection appId={appId} />
      {app.clientType === 'confidential' && <SecretSection appId={appId} />}
      <RenameForm appId={appId} name={app.name ?? ''} />
      <ActionHistory actions={(app.actions ?? []).slice(-20)} words={actionWords} />
      <Delete appId={appId} name={app.name ?? ''} />
    </Stack>
  );
}

const firstCheckMs = 3_000;

/** If the operator made the scopes available to all apps, approval is automatic; otherwise the operator reviews the app. */
function Waiting({ appId }: { appId: string }) {
  const { refetch, isFetching } = useOperation('GET /client-apps/{id}', { id: appId });
  useEffect(() => {
    const timer = setTimeout(() => void refetch(), firstCheckMs);
    return () => clearTimeout(timer);
  }, [refetch]);
  return (
    <Alert color="yellow" title="Waiting for the operator" icon={<IconClock />}>
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

function Delete({ appId, name }: { appId: string; name: string }) {
  const navigate = useNavigate();
  const remove = useAction('DELETE /client-apps/{id}', {
    done: 'Application deleted.',
    changes: ['GET /client-apps'],
    onDone: () => void navigate({ to: '/developers' }),
  });
  return (
    <Section
      title="Delete the application"
      lead="Its key and every login with it stop at once. This cannot be undone."
      actions={
        <ConfirmButton
          label="Delete application"
          look={{ color: 'red', variant: 'light' }}
          title={`Delete ${name}?`}
          yes="Delete application"
          isDangerous
          action={remove}
          onYes={() => remove.runAsync({ id: appId })}
        >
          Its key and every login with it stop at once.
        </ConfirmButton>
      }
    />
  );
}

function RenameForm({ appId, name }: { appId: string; name: string }) {
  const rename = useAction('PATCH /client-apps/{id}', { changes: ['GET /client-apps/{id}', 'GET /client-apps'] });
  const form = useForm({ name }, rename.error);
  const wanted = form.values.name;
  return (
    <Section title="Name" lead="People see it when they sign in and when they are asked for permission.">
      <Form
        isInline
        isQuiet
        submit="Save name"
        canSubmit={wanted.trim() !== '' && wanted !== name}
        action={rename}
        onSubmit={() => rename.run({ id: appId, body: { name: wanted } })}
      >
        <TextInput aria-label="Name of the application" maxLength={200} {...form.text('name')} />
      </Form>
    </Section>
  );
}

/** The client secret for the token endpoint. */
function SecretSection({ appId }: { appId: string }) {
  const rotate = useAction('POST /latchkey/client-apps/{id}/client-secret', { changes: ['GET /client-apps/{id}'] });
  return (
    <Section
      title="Client secret"
      lead="Proves the application when it exchanges a login for tokens. Keep it on your server."
      actions={
        <ConfirmButton
          label="Replace secret"
          title="Replace the client secret?"
          yes="Replace secret"
          isDangerous
          action={rotate}
          onYes={() => rotate.runAsync({ id: appId })}
        >
          The old secret stops working at once. People who are signed in stay signed in.
        </ConfirmButton>
      }
    >
      <NewSecrets secrets={[{ what: 'New client secret', value: rotate.answer?.clientSecret }]} />
    </Section>
  );
}

function KeySection({ appId }: { appId: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const overview = useOperation('GET /latchkey/client-apps/{id}/overview', { id: appId });
  const usage = useOperation('GET /latchkey/client-apps/{id}/usage', { id: appId });
  const changes = ['GET /latchkey/client-apps/{id}/overview', 'GET /client-apps/{id}'] as const;
  const roll = useAction('POST /latchkey/client-apps/{id}/api-key', { changes });
  const end = useAction('DELETE /latchkey/client-apps/{id}/api-key/old', {
    done: 'The old key no longer works.',
    changes,
  });
  const keys = overview.data;
  return (
    <Section
      title="API key"
      lead="Send it in the x-api-key header, from a server only."
      actions={
        <Button
          variant="default"
          disabled={keys?.oldKeyEndsAt !== undefined}
          onClick={() => {
            roll.reset();
            setIsAsking(true);
          }}
        >
          Replace key
        </Button>
      }
    >
      <Failure error={overview.error ?? usage.error ?? end.error} />
      <NewSecrets secrets={[{ what: 'New API key', value: roll.answer?.apiKey }]} />
      {keys !== undefined && (
        <Stack gap={4}>
          <Text size="sm">
            Created <Time at={keys.keyCreatedAt} /> ·{' '}
            {usage.data?.keyLastUsedAt === undefined ? (
              'not used yet'
            ) : (
              <>
                last used <Time at={usage.data.keyLastUsedAt} isRelative />
              </>
            )}{' '}
            {usage.data?.isKeyIdle === true && <State tone="warn">Not used for 30 days</State>}
          </Text>
          {keys.oldKeyEndsAt !== undefined && (
            <Text size="sm">
              The previous key still works until <Time at={keys.oldKeyEndsAt} />
              {usage.data?.oldKeyLastUsedAt !== undefined && (
                <>
                  ; it was last used <Time at={usage.data.oldKeyLastUsedAt} isRelative />
                </>
              )}
              .{' '}
              <Button
                size="compact-xs"
                variant="light"
                color="red"
                loading={end.isRunning}
                onClick={() => end.run({ id: appId })}
              >
                End it now
              </Button>
            </Text>
          )}
        </Stack>
      )}
      <RollDialog
        isOpen={isAsking}
        title="Replace the API key"
        what="key"
        action={roll}
        onYes={(oldKeyEndsInSeconds) => roll.runAsync({ id: appId, body: { oldKeyEndsInSeconds } })}
        onClose={() => setIsAsking(false)}
      />
    </Section>
  );
}
