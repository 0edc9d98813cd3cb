import { Button, Checkbox, Group, Stack, Switch, Tabs, Text, Textarea } from '@mantine/core';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { type ComponentType, useState } from 'react';
import { type Answer, useAction, useOperation, usePages } from '../../shared/api/index.ts';
import { IconLogin2 } from '../../shared/icons.tsx';
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
import { ReviewState, Unread } from '../parts.tsx';
import { Deliveries } from './deliveries.tsx';
import { type App, OverviewTab } from './overview-tab.tsx';
import { RollDialog } from './roll-dialog.tsx';
import { UsageTab } from './usage-tab.tsx';
import { WebhookForm } from './webhook-form.tsx';

const groupTitles: Readonly<Record<string, string>> = {
  user: 'People',
  'verifiable-credential': 'Verifiable credentials',
  community: 'Communities',
  discord: 'Discord',
  'token-gating': 'Token gating',
  'log-settings': 'Server log',
  'role-manager': 'Roles',
  state: 'Short links',
  telefrens: 'Waiting list',
};

type Scope = Answer<'GET /latchkey/client-apps/{id}/overview'>['scopes'][number];

function ScopesTab({ appId }: { appId: string }) {
  const overview = useOperation('GET /latchkey/client-apps/{id}/overview', { id: appId });
  return (
    <Query read={overview} what="scopes">
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
    <Section
      title="Scopes"
      lead="What the application may do. Tick what you need and say why; the operator of this server decides."
    >
      <Form
        submit="Request scopes"
        action={request}
        saved="Requested. The operator sees it in the list of applications."
        onSubmit={() =>
          request.run({ id: appId, body: { scopes: wanted, ...(reason.trim() !== '' && { reason: reason.trim() }) } })
        }
      >
        <Checkbox.Group aria-label="Requested scopes" value={wanted} onChange={setWanted}>
          <Stack gap="lg">
            {groups.map((group) => (
              <Stack key={group} gap="xs" component="fieldset" p={0} m={0} bd={0}>
                <legend className={styles.legend}>{groupTitles[group] ?? group}</legend>
                {scopes
                  .filter((scope) => scope.group === group)
                  .map(({ scope, description, state }) => (
                    <Group key={scope} gap="xs" align="flex-start" justify="space-between">
                      <Checkbox value={scope} label={description} description={scope} />
                      {state === 'granted' && <State tone="good">Granted</State>}
                      {state === 'closed' && <State tone="bad">Not allowed</State>}
                    </Group>
                  ))}
              </Stack>
            ))}
          </Stack>
        </Checkbox.Group>
        <Textarea
          label="What do you need them for?"
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

const credentials = { 'api-key': 'API key', 'old-api-key': 'replaced API key', token: 'token of a person' } as const;

function CallsTab({ appId }: { appId: string }) {
  const [onlyErrors, setOnlyErrors] = useState(false);
  const calls = usePages('GET /latchkey/client-apps/{id}/calls', { id: appId, ...(onlyErrors && { onlyErrors }) });
  const usage = useOperation('GET /latchkey/client-apps/{id}/usage', { id: appId });
  return (
    <Section
      title="Recent calls"
      lead="What the application called in the last 3 days. Give the request ID to the operator to find a call in the server’s log."
      actions={
        <Switch
          label="Errors only"
          checked={onlyErrors}
          onChange={(event) => setOnlyErrors(event.currentTarget.checked)}
        />
      }
    >
      <PagedList
        pages={calls}
        what="calls"
        keyOf={({ requestId, calledAt }) => `${calledAt} ${requestId}`}
        empty={<NoCalls keepsCalls={usage.data?.keepsCalls ?? true} onlyErrors={onlyErrors} />}
      >
        {({ method, route, status, errorCode, calledAt, tookMs, requestId, credential }) => (
          <Row
            title={<span title={`${method} ${route}`}>{`${method} ${route}`}</span>}
            states={<State tone={status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'}>{status}</State>}
            note={
              <>
                <Time at={calledAt} /> · {tookMs} ms · {credentials[credential]}
                {errorCode !== undefined && ` · ${errorCode}`}
              </>
            }
            actions={<CopyText text={requestId} what="request ID" />}
          />
        )}
      </PagedList>
    </Section>
  );
}

function NoCalls({ keepsCalls, onlyErrors }: { keepsCalls: boolean; onlyErrors: boolean }) {
  if (!keepsCalls)
    return <EmptyState title="Calls are not kept">The operator of this server has turned the log off.</EmptyState>;
  if (onlyErrors) return <EmptyState title="No errors">Every call of the last 3 days was answered.</EmptyState>;
  return (
    <EmptyState title="No calls yet">
      Call the API with the key or with a token; calls appear after a few seconds.
    </EmptyState>
  );
}

const tabs: readonly { id: string; title: string; Content: ComponentType<{ app: App; appId: string }> }[] = [
  { id: 'overview', title: 'Overview', Content: OverviewTab },
  { id: 'scopes', title: 'Scopes', Content: ScopesTab },
  { id: 'addresses', title: 'Origins and redirects', Content: AddressesTab },
  { id: 'webhooks', title: 'Webhooks', Content: WebhooksTab },
  { id: 'calls', title: 'Calls', Content: CallsTab },
  { id: 'usage', title: 'Usage', Content: UsageTab },
];

export function View() {
  const { appId } = useScreenParams('appId');
  const { data: app, error, refetch } = useOperation('GET /client-apps/{id}', { id: appId });
  const { hash } = useLocation();
  const navigate = useNavigate();
  if (app === undefined)
    return <Unread title="Application" what="the application" error={error} onRetry={() => void refetch()} />;
  const current = tabs.find(({ id }) => id === hash)?.id ?? 'overview';
  return (
    <Page
      title={app.name ?? 'Application'}
      lead={<ReviewState status={app.status} />}
      crumbs={[{ to: '/developers', title: 'Developers' }]}
      actions={
        app.clientType !== 'apiKey' && (
          <Button component={Link} to={`/developers/apps/${appId}/try-login`} leftSection={<IconLogin2 size={16} />}>
            Try a login
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
          {tabs.map(({ id, title }) => (
            <Tabs.Tab key={id} value={id}>
              {title}
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
      title="Webhook secret"
      lead="Check the signature of every request with it, so that no one else can send you events."
      actions={
        <Button
          variant="default"
          disabled={data?.oldSigningKeyEndsAt !== undefined}
          onClick={() => {
            rotate.reset();
            setIsAsking(true);
          }}
        >
          Replace secret
        </Button>
      }
    >
      <NewSecrets secrets={[{ what: 'New webhook secret', value: rotate.answer?.secret }]} />
      {data?.oldSigningKeyEndsAt !== undefined && (
        <Text size="sm">
          Requests are also signed with the previous secret until <Time at={data.oldSigningKeyEndsAt} />.
        </Text>
      )}
      <RollDialog
        isOpen={isAsking}
        title="Replace the webhook secret"
        what="secret"
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
    <Section
      title="Redirect URIs"
      lead="Where a login may return to, one per line. They must match exactly; http is for this machine only."
    >
      <LinesForm
        label="Redirect URIs"
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
    <Section
      title="Allowed origins"
      lead="The web pages that may call with this application, one per line. Empty means any page."
    >
      <LinesForm
        label="Allowed origins"
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
    <Form submit="Save" saved="Saved" action={action} onSubmit={onSave}>
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
