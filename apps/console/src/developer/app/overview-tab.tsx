import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { IconClock } from '../../shared/icons.ts';
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
import { type MessageId, t } from '../messages/index.ts';
import { ActionHistory } from '../parts.tsx';
import { RollDialog } from './roll-dialog.tsx';

export type App = Answer<'GET /client-apps/{id}'>;

export function OverviewTab({ app, appId }: { app: App; appId: string }) {
  return (
    <Stack>
      {app.status === 'PENDING' && <Waiting appId={appId} />}
      <Section title={t('overview.clientId')} lead={t('overview.clientIdLead')}>
        <CopyText text={appId} what={t('overview.whatClientId')} />
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
    <Alert color="yellow" title={t('overview.waiting')} icon={<IconClock />}>
      <p>{t('overview.waitingNote')}</p>
      <Button size="compact-sm" variant="default" loading={isFetching} onClick={() => void refetch()}>
        {t('common.checkAgain')}
      </Button>
    </Alert>
  );
}

const actionWords: Readonly<Record<string, MessageId & `appAction.${string}`>> = {
  create: 'appAction.created',
  approve: 'appAction.approved',
  reject: 'appAction.rejected',
  revoke: 'appAction.revoked',
  list: 'appAction.listed',
  replace: 'appAction.replaced',
  rename: 'appAction.renamed',
  'reset-api-key': 'appAction.keyReplaced',
  'roll-api-key': 'appAction.keyRolled',
  'end-old-api-key': 'appAction.oldKeyEnded',
  'reset-client-secret': 'appAction.secretReplaced',
  'reset-webhook-secret': 'appAction.webhookSecretReplaced',
  'set-webhook': 'appAction.webhookChanged',
  'remove-webhook': 'appAction.webhookRemoved',
  'enable-webhook': 'appAction.webhookEnabled',
  'disable-webhook': 'appAction.webhookDisabled',
  'set-origins': 'appAction.originsChanged',
  'set-redirect-uris': 'appAction.redirectsChanged',
  'set-oauth-settings': 'appAction.oauthSettingsChanged',
  'request-scopes': 'appAction.scopesRequested',
};

function Delete({ appId, name }: { appId: string; name: string }) {
  const navigate = useNavigate();
  const remove = useAction('DELETE /client-apps/{id}', {
    done: t('overview.deleted'),
    changes: ['GET /client-apps'],
    onDone: () => void navigate({ to: '/developers' }),
  });
  return (
    <Section
      title={t('overview.delete')}
      lead={t('overview.deleteLead')}
      actions={
        <ConfirmButton
          label={t('overview.deleteYes')}
          look={{ color: 'red', variant: 'light' }}
          title={t('overview.deleteTitle', { name })}
          yes={t('overview.deleteYes')}
          isDangerous
          action={remove}
          onYes={() => remove.runAsync({ id: appId })}
        >
          {t('overview.deleteAbout')}
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
    <Section title={t('common.name')} lead={t('overview.nameLead')}>
      <Form
        isInline
        isQuiet
        submit={t('common.saveName')}
        canSubmit={wanted.trim() !== '' && wanted !== name}
        action={rename}
        onSubmit={() => rename.run({ id: appId, body: { name: wanted } })}
      >
        <TextInput aria-label={t('overview.nameOfApp')} maxLength={200} {...form.text('name')} />
      </Form>
    </Section>
  );
}

/** The client secret for the token endpoint. */
function SecretSection({ appId }: { appId: string }) {
  const rotate = useAction('POST /latchkey/client-apps/{id}/client-secret', { changes: ['GET /client-apps/{id}'] });
  return (
    <Section
      title={t('common.clientSecret')}
      lead={t('overview.secretLead')}
      actions={
        <ConfirmButton
          label={t('overview.replaceSecret')}
          title={t('overview.replaceSecretTitle')}
          yes={t('overview.replaceSecret')}
          isDangerous
          action={rotate}
          onYes={() => rotate.runAsync({ id: appId })}
        >
          {t('overview.replaceSecretAbout')}
        </ConfirmButton>
      }
    >
      <NewSecrets secrets={[{ what: t('overview.newSecret'), value: rotate.answer?.clientSecret }]} />
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
    done: t('overview.oldKeyEnded'),
    changes,
  });
  const keys = overview.data;
  const created = keys && <Time key="created" at={keys.keyCreatedAt} />;
  const oldEnd = keys?.oldKeyEndsAt && <Time key="end" at={keys.oldKeyEndsAt} />;
  return (
    <Section
      title={t('common.apiKey')}
      lead={t('overview.keyLead')}
      actions={
        <Button
          variant="default"
          disabled={keys?.oldKeyEndsAt !== undefined}
          onClick={() => {
            roll.reset();
            setIsAsking(true);
          }}
        >
          {t('overview.replaceKey')}
        </Button>
      }
    >
      <Failure error={overview.error ?? usage.error ?? end.error} />
      <NewSecrets secrets={[{ what: t('overview.newKey'), value: roll.answer?.apiKey }]} />
      {keys !== undefined && (
        <Stack gap={4}>
          <Text size="sm">
            {usage.data?.keyLastUsedAt === undefined
              ? t.rich('overview.keyUnused', { created })
              : t.rich('overview.keyUsed', {
                  created,
                  used: <Time key="used" at={usage.data.keyLastUsedAt} isRelative />,
                })}{' '}
            {usage.data?.isKeyIdle === true && <State tone="warn">{t('overview.keyIdle')}</State>}
          </Text>
          {keys.oldKeyEndsAt !== undefined && (
            <Text size="sm">
              {usage.data?.oldKeyLastUsedAt === undefined
                ? t.rich('overview.oldKeyUnused', { end: oldEnd })
                : t.rich('overview.oldKeyUsed', {
                    end: oldEnd,
                    used: <Time key="used" at={usage.data.oldKeyLastUsedAt} isRelative />,
                  })}{' '}
              <Button
                size="compact-xs"
                variant="light"
                color="red"
                loading={end.isRunning}
                onClick={() => end.run({ id: appId })}
              >
                {t('overview.endOldKey')}
              </Button>
            </Text>
          )}
        </Stack>
      )}
      <RollDialog
        isOpen={isAsking}
        title={t('overview.replaceKeyTitle')}
        kind="key"
        action={roll}
        onYes={(oldKeyEndsInSeconds) => roll.runAsync({ id: appId, body: { oldKeyEndsInSeconds } })}
        onClose={() => setIsAsking(false)}
      />
    </Section>
  );
}
