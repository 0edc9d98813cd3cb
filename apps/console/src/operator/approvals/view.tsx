import { Button, Group, Tabs, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type ItemOf, useAction, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import {
  ConfirmButton,
  CopyText,
  Dialog,
  EmptyState,
  Failure,
  Form,
  NewSecrets,
  Page,
  QueryList,
  Row,
  Section,
  State,
  Time,
  useForm,
} from '../../shared/ui/index.ts';
import { type Application, ReviewApplication } from './review-application.tsx';
import { ReviewList, useReviewFilter } from './review-list.tsx';
import { ScopePicker } from './scope-picker.tsx';
import { Decisions, type Status, StatusState } from './statuses.tsx';

/** Everything pending for the operator: applications, mini-apps, and signing domains. */
export function View() {
  useLive('operator');
  const [tab, setTab] = useState<string | null>('applications');
  return (
    <Page title="Approvals" lead="Decide which applications and mini-apps may work here, and what they may do.">
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="applications">Applications</Tabs.Tab>
          <Tabs.Tab value="mini-apps">Mini-apps</Tabs.Tab>
          <Tabs.Tab value="signing">Signing</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="applications" pt="md">
          <Applications />
        </Tabs.Panel>
        <Tabs.Panel value="mini-apps" pt="md">
          <MiniApps />
        </Tabs.Panel>
        <Tabs.Panel value="signing" pt="md">
          <SigningDomains />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Applications() {
  const filter = useReviewFilter();
  const [reviewed, setReviewed] = useState<Application>();
  const [isCreating, setIsCreating] = useState(false);
  const apps = usePages('GET /latchkey/operator/applications', filter.input);
  return (
    <>
      <ReviewList<Application>
        filter={filter}
        pages={apps}
        what="applications"
        one="application"
        searchLabel="Name, client id or owner"
        action={
          <Button variant="default" onClick={() => setIsCreating(true)}>
            Create application
          </Button>
        }
        note={(app) => (
          <>
            By {app.createdByName ?? app.createdById}
            {app.createdTime !== undefined && (
              <>
                , <Time at={app.createdTime} isRelative />
              </>
            )}
            {app.url !== undefined && `, ${app.url}`}
          </>
        )}
        onReview={setReviewed}
      />
      {reviewed !== undefined && <ReviewApplication app={reviewed} onClose={() => setReviewed(undefined)} />}
      {isCreating && <CreateApplication onClose={() => setIsCreating(false)} />}
    </>
  );
}

/** Creates an application that works at once, for development. Its secrets are shown only here. */
function CreateApplication({ onClose }: { onClose(): void }) {
  const create = useAction('POST /latchkey/operator/applications', {
    changes: ['GET /latchkey/operator/applications'],
  });
  const form = useForm({ name: '', userId: '', redirectUris: '', scopes: [] as readonly string[] }, create.error);
  const { name, userId, scopes } = form.values;
  const send = () => {
    const redirectUris = form.values.redirectUris.split(/\s+/).filter((uri) => uri !== '');
    create.run({
      body: {
        name: name.trim(),
        scopes: [...scopes],
        ...(userId.trim() !== '' && { userId: userId.trim() }),
        ...(redirectUris.length > 0 && { redirectUris }),
      },
    });
  };
  const made = create.answer;
  return (
    <Dialog title="Create an application" size="large" onClose={onClose}>
      {made === undefined ? (
        <Form
          submit="Create approved application"
          canSubmit={name.trim() !== '' && scopes.length > 0}
          action={create}
          onSubmit={send}
        >
          <TextInput label="Name" required maxLength={200} {...form.text('name')} />
          <TextInput
            label="Owner"
            description="The id of a person, for example DIS#USER#123. Empty: you."
            maxLength={128}
            {...form.text('userId')}
          />
          <Textarea
            label="Where logins return to"
            description="One address per line. Leave empty if it does not sign people in."
            autosize
            minRows={2}
            {...form.text('redirectUris')}
          />
          <ScopePicker
            label="What it may do"
            asked={[]}
            value={scopes}
            onChange={(chosen) => form.set({ scopes: chosen })}
          />
        </Form>
      ) : (
        <>
          <Text>
            {made.name} is approved. Its client id is <CopyText text={made.id ?? ''} what="client id" />
          </Text>
          <NewSecrets
            secrets={[
              { what: 'API key', value: made.apiKey },
              { what: 'Client secret', value: made.clientSecret },
              { what: 'Webhook secret', value: made.secret },
            ]}
          />
          <Group justify="flex-end">
            <Button onClick={onClose}>I have kept them</Button>
          </Group>
        </>
      )}
    </Dialog>
  );
}

const list = 'GET /latchkey/operator/signing-domains' as const;

/** Which typed data applications may request hosted wallets to sign. */
function SigningDomains() {
  const domains = useOperation(list, {});
  const allow = useAction('POST /latchkey/operator/applications/{clientId}/signing-domains', {
    done: 'Domain allowed.',
    changes: [list],
    onDone: () => form.set({ domain: '' }),
  });
  const remove = useAction('DELETE /latchkey/operator/applications/{clientId}/signing-domains/{domain}', {
    done: 'Domain removed.',
    changes: [list],
  });
  const form = useForm({ clientId: '', domain: '' }, allow.error);
  const { clientId, domain } = form.values;
  return (
    <Section
      title="Typed data that applications may have signed"
      lead="Hosted wallets sign typed data for an application only if you allow its domain. The owner of the wallet still approves each signature."
    >
      <Form
        isInline
        submit="Allow"
        action={allow}
        onSubmit={() => allow.run({ clientId: clientId.trim(), body: { domain: domain.trim() } })}
      >
        <TextInput label="Client id" required maxLength={64} {...form.text('clientId')} />
        <TextInput
          label="Domain"
          placeholder="0x…@1 or name:Snapshot"
          required
          maxLength={256}
          {...form.text('domain')}
        />
      </Form>
      <QueryList
        read={domains}
        what="domains"
        keyOf={(one) => `${one.clientId} ${one.domain}`}
        empty={
          <EmptyState title="No application may have typed data signed">
            When an application is refused, the refusal names the domain to allow.
          </EmptyState>
        }
      >
        {(one) => (
          <Row
            title={one.domain}
            note={
              <>
                Application {one.clientId}, since <Time at={one.createdTime} />
                {one.notes !== undefined && `, “${one.notes}”`}
              </>
            }
            actions={
              <ConfirmButton
                label="Remove"
                look={{ size: 'compact-sm' }}
                title="Remove this domain?"
                yes="Remove domain"
                isDangerous
                action={remove}
                onYes={() => remove.runAsync({ clientId: one.clientId, domain: one.domain })}
              >
                <Text>The application can no longer have typed data of {one.domain} signed.</Text>
              </ConfirmButton>
            }
          />
        )}
      </QueryList>
    </Section>
  );
}

type MiniApp = ItemOf<'GET /latchkey/operator/mini-apps'>;
type Decision = 'approve' | 'reject' | 'reopen' | 'list' | 'revoke';

const choices: Readonly<Record<Status, readonly (readonly [Decision, string])[]>> = {
  PENDING: [
    ['reject', 'Reject'],
    ['approve', 'Approve'],
  ],
  APPROVED: [
    ['revoke', 'Revoke'],
    ['list', 'Probe and list'],
  ],
  LISTED: [
    ['revoke', 'Revoke'],
    ['approve', 'Take off the list'],
  ],
  REJECTED: [['reopen', 'Review again']],
  REVOKED: [['approve', 'Approve again']],
};

function MiniApps() {
  const filter = useReviewFilter();
  const [reviewed, setReviewed] = useState<MiniApp>();
  const apps = usePages('GET /latchkey/operator/mini-apps', filter.input);
  return (
    <>
      <ReviewList<MiniApp>
        filter={filter}
        pages={apps}
        what="mini-apps"
        one="mini-app"
        searchLabel="Name, id or organization"
        note={(app) => (
          <>
            {app.description}
            {app.createdTime !== undefined && (
              <>
                <br />
                Registered <Time at={app.createdTime} isRelative />
              </>
            )}
          </>
        )}
        onReview={setReviewed}
      />
      {reviewed !== undefined && <Review app={reviewed} onClose={() => setReviewed(undefined)} />}
    </>
  );
}

const outcomes = { safe: ['good', 'Safe'], unsafe: ['bad', 'Unsafe'], failed: ['warn', 'No answer'] } as const;

function Review({ app, onClose }: { app: MiniApp; onClose(): void }) {
  const id = app.id ?? '';
  const [notes, setNotes] = useState('');
  const changes = ['GET /latchkey/operator/mini-apps'] as const;
  const decide = useAction('POST /latchkey/operator/mini-apps/{id}/decision', {
    done: 'Decision saved.',
    changes,
    onDone: onClose,
  });
  const probe = useAction('POST /latchkey/miniapps/{miniAppId}/probe', { changes });
  const decisions = choices[app.status];
  return (
    <Dialog title={app.name} size="large" onClose={onClose}>
      <Group gap="xs">
        <StatusState status={app.status} />
        <Text size="sm">{(app.platforms ?? []).join(', ')}</Text>
      </Group>
      <Text size="sm">{app.description}</Text>
      {app.url !== undefined && <Text size="sm">Called at {app.url}</Text>}
      {app.feedback !== undefined && <Text size="sm">“{app.feedback}”</Text>}
      {(app.actions ?? []).length > 0 && (
        <Text size="sm" c="dimmed">
          Last decision: {app.actions?.at(-1)?.action}
          {app.actions?.at(-1)?.notes !== undefined && `, “${app.actions.at(-1)?.notes}”`}
        </Text>
      )}
      <Group>
        <Button
          variant="default"
          size="compact-sm"
          loading={probe.isRunning}
          onClick={() => probe.run({ miniAppId: id })}
        >
          Probe now
        </Button>
        <Text size="sm" c="dimmed">
          Sends forged calls, which it must refuse.
        </Text>
      </Group>
      <Failure error={probe.error} />
      {probe.answer !== undefined && (
        <Text size="sm">
          <State tone={outcomes[probe.answer.outcome][0]}>{outcomes[probe.answer.outcome][1]}</State>{' '}
          {probe.answer.reason ?? 'It answers and refuses forged calls.'}
        </Text>
      )}
      <Textarea
        label="Notes"
        description="For its developer and for the audit log."
        value={notes}
        maxLength={1000}
        autosize
        minRows={2}
        onChange={(event) => setNotes(event.currentTarget.value)}
      />
      <Decisions
        choices={decisions}
        action={decide}
        onDecide={(decision) =>
          decide.run({ id, body: { decision, ...(notes.trim() !== '' && { notes: notes.trim() }) } })
        }
      />
    </Dialog>
  );
}
