import { Button, Group, Modal, Stack, Tabs, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Answer, type ItemOf, useAction, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import {
  ConfirmDialog,
  CopyText,
  EmptyState,
  Failure,
  NewSecrets,
  Page,
  Row,
  Section,
  State,
  Time,
} from '../../shared/ui/index.ts';
import { Answered } from '../answered.tsx';
import { FilterBar, Rows } from '../rows.tsx';
import { type Application, ReviewApplication } from './review-application.tsx';
import { ReviewList, useReviewFilter } from './review-list.tsx';
import { ScopePicker } from './scope-picker.tsx';
import { type Status, StatusState } from './statuses.tsx';

/** What waits for the operator's word: applications, mini-apps, and what applications may have signed. */
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

/** An application that works at once, for development. Its secrets are shown here and never again. */
function CreateApplication({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [userId, setUserId] = useState('');
  const [redirects, setRedirects] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const create = useAction('POST /latchkey/operator/applications', {
    changes: ['GET /latchkey/operator/applications'],
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    const redirectUris = redirects.split(/\s+/).filter((uri) => uri !== '');
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
    <Modal opened onClose={onClose} title="Create an application" size="lg" data-dialog-open>
      {made === undefined ? (
        <form onSubmit={send}>
          <Stack gap="md">
            <TextInput
              label="Name"
              required
              maxLength={200}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <TextInput
              label="Owner"
              description="The id of a person, for example DIS#USER#123. Empty: you."
              maxLength={128}
              value={userId}
              onChange={(event) => setUserId(event.currentTarget.value)}
            />
            <Textarea
              label="Where logins return to"
              description="One address per line. Empty: it logs nobody in."
              value={redirects}
              autosize
              minRows={2}
              onChange={(event) => setRedirects(event.currentTarget.value)}
            />
            <ScopePicker label="What it may do" asked={[]} value={scopes} onChange={setScopes} />
            <Failure error={create.error} />
            <Group justify="flex-end">
              <Button type="submit" loading={create.isRunning} disabled={name.trim() === '' || scopes.length === 0}>
                Create approved application
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Stack gap="md">
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
        </Stack>
      )}
    </Modal>
  );
}

type Domain = Answer<'GET /latchkey/operator/signing-domains'>[number];

const list = 'GET /latchkey/operator/signing-domains' as const;

/** Which typed data applications may have hosted wallets sign. */
function SigningDomains() {
  const [clientId, setClientId] = useState('');
  const [domain, setDomain] = useState('');
  const [removed, setRemoved] = useState<Domain>();
  const domains = useOperation(list, {});
  const allow = useAction('POST /latchkey/operator/applications/{clientId}/signing-domains', {
    changes: [list],
    onDone: () => setDomain(''),
  });
  const remove = useAction('DELETE /latchkey/operator/applications/{clientId}/signing-domains/{domain}', {
    changes: [list],
    onDone: () => setRemoved(undefined),
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    allow.run({ clientId: clientId.trim(), body: { domain: domain.trim() } });
  };
  return (
    <Section
      title="Typed data that applications may have signed"
      lead="Hosted wallets sign typed data for an application only if you allow its domain. The owner of the wallet still approves each signature."
    >
      <Stack gap="md">
        <form onSubmit={send}>
          <FilterBar>
            <TextInput
              label="Client id"
              required
              maxLength={64}
              value={clientId}
              onChange={(event) => setClientId(event.currentTarget.value)}
            />
            <TextInput
              label="Domain"
              placeholder="0x…@1 or name:Snapshot"
              required
              maxLength={256}
              value={domain}
              onChange={(event) => setDomain(event.currentTarget.value)}
            />
            <Button type="submit" loading={allow.isRunning}>
              Allow
            </Button>
          </FilterBar>
        </form>
        <Failure error={allow.error} />
        <Answered read={domains} what="domains">
          {(all) =>
            all.length === 0 ? (
              <EmptyState title="No application may have typed data signed">
                When an application is refused, the refusal names the domain to allow.
              </EmptyState>
            ) : (
              <Rows items={all} keyOf={(one) => `${one.clientId} ${one.domain}`}>
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
                      <Button variant="default" size="compact-sm" onClick={() => setRemoved(one)}>
                        Remove
                      </Button>
                    }
                  />
                )}
              </Rows>
            )
          }
        </Answered>
        <ConfirmDialog
          isOpen={removed !== undefined}
          title="Remove this domain?"
          yes="Remove domain"
          isDangerous
          isRunning={remove.isRunning}
          error={remove.error}
          onYes={() => removed && remove.run({ clientId: removed.clientId, domain: removed.domain })}
          onNo={() => setRemoved(undefined)}
        >
          <Text>The application can no longer have typed data of {removed?.domain} signed.</Text>
        </ConfirmDialog>
      </Stack>
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
  const decide = useAction('POST /latchkey/operator/mini-apps/{id}/decision', { changes, onDone: onClose });
  const probe = useAction('POST /latchkey/miniapps/{miniAppId}/probe', { changes });
  const decisions = choices[app.status];
  return (
    <Modal opened onClose={onClose} title={app.name} size="lg" data-dialog-open>
      <Stack gap="md">
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
        <Failure error={decide.error} />
        <Group justify="flex-end" gap="xs">
          {decisions.map(([decision, words], index) => (
            <Button
              key={decision}
              variant={index === decisions.length - 1 ? 'filled' : 'default'}
              loading={decide.isRunning}
              onClick={() =>
                decide.run({ id, body: { decision, ...(notes.trim() !== '' && { notes: notes.trim() }) } })
              }
            >
              {words}
            </Button>
          ))}
        </Group>
      </Stack>
    </Modal>
  );
}
