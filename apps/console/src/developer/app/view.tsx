import { Button, Checkbox, Group, Stack, Switch, Tabs, Text, Textarea } from '@mantine/core';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { type ComponentType, useState } from 'react';
import { type Answer, useAction, useOperation, usePages } from '../../shared/api/index.ts';
import { IconLogin2 } from '../../shared/icons.ts';
import { useScreenParams } from '../../shared/screen.ts';
import {
  CopyText,
  EmptyState,
  Form,
  NewSecrets,
  Page,
  PagedList,
  Query,
  Row,
  Section,
  State,
  Time,
} from '../../shared/ui/index.ts';
import styles from '../legend.module.css';
import { fromLines, toLines } from '../lines.ts';
import { type MessageId, t } from '../messages/index.ts';
import { ReviewState, Unread } from '../parts.tsx';
import { Deliveries } from './deliveries.tsx';
import { type App, OverviewTab } from './overview-tab.tsx';
import { RollDialog } from './roll-dialog.tsx';
import { UsageTab } from './usage-tab.tsx';
import { WebhookForm } from './webhook-form.tsx';

const groupTitles: Readonly<Record<string, MessageId & `scopeGroup.${string}`>> = {
  user: 'scopeGroup.user',
  'verifiable-credential': 'scopeGroup.credential',
  community: 'scopeGroup.community',
  discord: 'scopeGroup.discord',
  'token-gating': 'scopeGroup.tokenGating',
  'log-settings': 'scopeGroup.logSettings',
  'role-manager': 'scopeGroup.roleManager',
  state: 'scopeGroup.state',
  telefrens: 'scopeGroup.waitingList',
};

function titleOfGroup(group: string): string {
  const title = groupTitles[group];
  return title === undefined ? group : t(title);
}

type Scope = Answer<'GET /latchkey/client-apps/{id}/overview'>['scopes'][number];

function ScopesTab({ appId }: { appId: string }) {
  const overview = useOperation('GET /latchkey/client-apps/{id}/overview', { id: appId });
  return (
    <Query read={overview} loading={t('scopes.loading')}>
      {({ scopes }) => <ScopesForm appId={appId} scopes={scopes} />}
    </Query>
  );
}

function ScopesForm({ appId, scopes }: { appId: string; scopes: readonly Scope[] }) {
  const [wanted, setWanted] = useState(() => scopes.filter(({ isRequested }) => isRequested).map(({ scope }) => scope));
  const [reason, setReason] = useState('');
  const request = useAction('PUT /latchkey/client-apps/{id}/requested-scopes', {
    changes: ['GET /latchkey/client-apps/{id}/overview', 'GET /client-apps/{id}'],
    onDone: () => setReason(''),
  });
  const groups = [...new Set(scopes.map(({ group }) => group))];
  return (
    <Section title={t('scopes.title')} lead={t('scopes.lead')}>
      <Form
        submit={t('scopes.request')}
        action={request}
        saved={t('scopes.saved')}
        onSubmit={() =>
          request.run({ id: appId, body: { scopes: wanted, ...(reason.trim() !== '' && { reason: reason.trim() }) } })
        }
      >
        <Checkbox.Group aria-label={t('scopes.requested')} value={wanted} onChange={setWanted}>
          <Stack gap="lg">
            {groups.map((group) => (
              <Stack key={group} gap="xs" component="fieldset" p={0} m={0} bd={0}>
                <legend className={styles.legend}>{titleOfGroup(group)}</legend>
                {scopes
                  .filter((scope) => scope.group === group)
                  .map(({ scope, description, state }) => (
                    <Group key={scope} gap="xs" align="flex-start" justify="space-between">
                      <Checkbox value={scope} label={description} description={scope} />
                      {state === 'granted' && <State tone="good">{t('scopes.granted')}</State>}
                      {state === 'closed' && <State tone="bad">{t('scopes.closed')}</State>}
                    </Group>
                  ))}
              </Stack>
            ))}
          </Stack>
        </Checkbox.Group>
        <Textarea
          label={t('scopes.reason')}
          maxLength={1000}
          autosize
          minRows={2}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </Form>
    </Section>
  );
}

const credentials = { 'api-key': 'calls.apiKey', 'old-api-key': 'calls.oldApiKey', token: 'calls.token' } as const;

function CallsTab({ appId }: { appId: string }) {
  const [onlyErrors, setOnlyErrors] = useState(false);
  const calls = usePages('GET /latchkey/client-apps/{id}/calls', { id: appId, ...(onlyErrors && { onlyErrors }) });
  const usage = useOperation('GET /latchkey/client-apps/{id}/usage', { id: appId });
  return (
    <Section
      title={t('calls.title')}
      lead={t('calls.lead')}
      actions={
        <Switch
          label={t('calls.onlyErrors')}
          checked={onlyErrors}
          onChange={(event) => setOnlyErrors(event.currentTarget.checked)}
        />
      }
    >
      <PagedList
        pages={calls}
        loading={t('calls.loading')}
        more={t('calls.more')}
        keyOf={({ requestId, calledAt }) => `${calledAt} ${requestId}`}
        empty={<NoCalls keepsCalls={usage.data?.keepsCalls ?? true} onlyErrors={onlyErrors} />}
      >
        {({ method, route, status, errorCode, calledAt, tookMs, requestId, credential }) => (
          <Row
            title={<span title={`${method} ${route}`}>{`${method} ${route}`}</span>}
            states={<State tone={status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'}>{status}</State>}
            note={
              <>
                {t.rich('calls.call', {
                  time: <Time key="time" at={calledAt} />,
                  ms: tookMs,
                  credential: t(credentials[credential]),
                })}
                {errorCode !== undefined && ` · ${errorCode}`}
              </>
            }
            actions={<CopyText text={requestId} what={t('calls.requestId')} />}
          />
        )}
      </PagedList>
    </Section>
  );
}

function NoCalls({ keepsCalls, onlyErrors }: { keepsCalls: boolean; onlyErrors: boolean }) {
  if (!keepsCalls) return <EmptyState title={t('calls.notKept')}>{t('calls.notKeptWhy')}</EmptyState>;
  if (onlyErrors) return <EmptyState title={t('calls.noErrors')}>{t('calls.noErrorsNote')}</EmptyState>;
  return <EmptyState title={t('calls.none')}>{t('calls.noneHow')}</EmptyState>;
}

const tabs = [
  { id: 'overview', Content: OverviewTab },
  { id: 'scopes', Content: ScopesTab },
  { id: 'addresses', Content: AddressesTab },
  { id: 'webhooks', Content: WebhooksTab },
  { id: 'calls', Content: CallsTab },
  { id: 'usage', Content: UsageTab },
] as const satisfies readonly { id: string; Content: ComponentType<{ app: App; appId: string }> }[];

export function View() {
  const { appId } = useScreenParams('appId');
  const { data: app, error, refetch } = useOperation('GET /client-apps/{id}', { id: appId });
  const { hash } = useLocation();
  const navigate = useNavigate();
  if (app === undefined)
    return <Unread title={t('app.title')} loading={t('app.loading')} error={error} onRetry={() => void refetch()} />;
  const current = tabs.find(({ id }) => id === hash)?.id ?? 'overview';
  return (
    <Page
      title={app.name ?? t('app.title')}
      lead={<ReviewState status={app.status} />}
      crumbs={[{ to: '/developers', title: t('developers.title') }]}
      actions={
        app.clientType !== 'apiKey' && (
          <Button
            component={Link}
            to={`/developers/apps/${appId}/try-login`}
            variant="default"
            leftSection={<IconLogin2 size={16} />}
          >
            {t('app.tryLogin')}
          </Button>
        )
      }
    >
      <Tabs
        value={current}
        keepMounted={false}
        onChange={(tab) => void navigate({ to: '.', hash: tab ?? 'overview', replace: true })}
      >
        <Tabs.List>
          {tabs.map(({ id }) => (
            <Tabs.Tab key={id} value={id}>
              {t(`tab.${id}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ id, Content }) => (
          <Tabs.Panel key={id} value={id} pt="md">
            <Content app={app} appId={appId} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}

function WebhooksTab({ app, appId }: { app: App; appId: string }) {
  return (
    <Stack>
      <WebhookForm app={app} appId={appId} />
      <SigningSecret appId={appId} />
      <Deliveries appId={appId} hasWebhook={app.webhookUrl !== undefined} />
    </Stack>
  );
}

/** The signing secret of webhook events. */
function SigningSecret({ appId }: { appId: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const { data } = useOperation('GET /latchkey/client-apps/{id}/overview', { id: appId });
  const rotate = useAction('POST /latchkey/client-apps/{id}/webhook-secret', {
    changes: ['GET /latchkey/client-apps/{id}/overview', 'GET /client-apps/{id}'],
  });
  return (
    <Section
      title={t('common.webhookSecret')}
      lead={t('webhook.secretLead')}
      actions={
        <Button
          variant="default"
          disabled={data?.oldSigningKeyEndsAt !== undefined}
          onClick={() => {
            rotate.reset();
            setIsAsking(true);
          }}
        >
          {t('webhook.replaceSecret')}
        </Button>
      }
    >
      <NewSecrets secrets={[{ what: t('webhook.newSecret'), value: rotate.answer?.secret }]} />
      {data?.oldSigningKeyEndsAt !== undefined && (
        <Text size="sm">{t.rich('webhook.oldSecret', { end: <Time key="end" at={data.oldSigningKeyEndsAt} /> })}</Text>
      )}
      <RollDialog
        isOpen={isAsking}
        title={t('webhook.replaceSecretTitle')}
        kind="secret"
        action={rotate}
        onYes={(oldSecretEndsInSeconds) => rotate.runAsync({ id: appId, body: { oldSecretEndsInSeconds } })}
        onClose={() => setIsAsking(false)}
      />
    </Section>
  );
}

function AddressesTab({ app, appId }: { app: App; appId: string }) {
  return (
    <Stack>
      {app.clientType !== 'apiKey' && <Redirects app={app} appId={appId} />}
      <Origins app={app} appId={appId} />
    </Stack>
  );
}

function Redirects({ app, appId }: { app: App; appId: string }) {
  const [text, setText] = useState(fromLines(app.redirectUris));
  const save = useAction('PUT /latchkey/client-apps/{id}/redirect-uris', { changes: ['GET /client-apps/{id}'] });
  return (
    <Section title={t('common.redirects')} lead={t('redirects.lead')}>
      <LinesForm
        label={t('common.redirects')}
        placeholder="https://app.example/callback"
        text={text}
        onText={setText}
        action={save}
        onSave={() => save.run({ id: appId, body: { redirectUris: toLines(text) } })}
      />
    </Section>
  );
}

function Origins({ app, appId }: { app: App; appId: string }) {
  const [text, setText] = useState(fromLines(app.allowedOrigins));
  const save = useAction('PUT /latchkey/client-apps/{id}/origins', { changes: ['GET /client-apps/{id}'] });
  return (
    <Section title={t('origins.title')} lead={t('origins.lead')}>
      <LinesForm
        label={t('origins.title')}
        placeholder="https://app.example"
        text={text}
        onText={setText}
        action={save}
        onSave={() => save.run({ id: appId, body: { allowedOrigins: toLines(text) } })}
      />
    </Section>
  );
}

function LinesForm({
  label,
  placeholder,
  text,
  onText,
  action,
  onSave,
}: {
  label: string;
  placeholder: string;
  text: string;
  onText(text: string): void;
  action: { isRunning: boolean; error: unknown; answer: unknown };
  onSave(): void;
}) {
  return (
    <Form submit={t('common.save')} saved={t('common.saved')} action={action} onSubmit={onSave}>
      <Textarea
        aria-label={label}
        placeholder={placeholder}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
      />
    </Form>
  );
}
