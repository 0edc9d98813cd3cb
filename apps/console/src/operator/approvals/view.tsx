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
import { t } from '../messages/index.ts';
import { type Application, ReviewApplication } from './review-application.tsx';
import { ReviewList, useReviewFilter } from './review-list.tsx';
import { ScopePicker } from './scope-picker.tsx';
import { Decisions, type DecisionText, type Status, StatusState } from './statuses.tsx';

/** Everything pending for the operator: applications, mini-apps, and signing domains. */
export function View() {
  useLive('operator');
  const [tab, setTab] = useState<string | null>('applications');
  return (
    <Page title={t('approvals.title')} lead={t('approvals.lead')}>
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="applications">{t('approvals.applications')}</Tabs.Tab>
          <Tabs.Tab value="mini-apps">{t('approvals.miniApps')}</Tabs.Tab>
          <Tabs.Tab value="signing">{t('approvals.signing')}</Tabs.Tab>
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
        kind="application"
        action={
          <Button variant="default" onClick={() => setIsCreating(true)}>
            {t('application.create')}
          </Button>
        }
        note={(app) => (
          <>
            {app.createdTime === undefined
              ? t('approvals.by', { name: ownerOf(app) })
              : t.rich('approvals.byAt', {
                  name: ownerOf(app),
                  time: <Time key="time" at={app.createdTime} isRelative />,
                })}
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

function ownerOf({ createdByName, createdById = '' }: Application): string {
  return createdByName ?? createdById;
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
    <Dialog title={t('application.createTitle')} size="large" onClose={onClose}>
      {made === undefined ? (
        <Form
          submit={t('application.createApproved')}
          canSubmit={name.trim() !== '' && scopes.length > 0}
          action={create}
          onSubmit={send}
        >
          <TextInput label={t('common.name')} required maxLength={200} {...form.text('name')} />
          <TextInput
            label={t('application.ownerField')}
            description={t('application.ownerHint')}
            maxLength={128}
            {...form.text('userId')}
          />
          <Textarea
            label={t('application.redirects')}
            description={t('application.redirectsHint')}
            autosize
            minRows={2}
            {...form.text('redirectUris')}
          />
          <ScopePicker
            label={t('application.scopes')}
            requested={[]}
            value={scopes}
            onChange={(chosen) => form.set({ scopes: chosen })}
          />
        </Form>
      ) : (
        <>
          <Text>
            {t.rich('application.created', {
              name: made.name ?? '',
              clientId: <CopyText key="id" text={made.id ?? ''} what={t('application.clientId')} />,
            })}
          </Text>
          <NewSecrets
            secrets={[
              { what: t('application.apiKey'), value: made.apiKey },
              { what: t('application.clientSecret'), value: made.clientSecret },
              { what: t('application.webhookSecret'), value: made.secret },
            ]}
          />
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('application.kept')}</Button>
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
    done: t('signing.allowed'),
    changes: [list],
    onDone: () => form.set({ domain: '' }),
  });
  const remove = useAction('DELETE /latchkey/operator/applications/{clientId}/signing-domains/{domain}', {
    done: t('signing.removed'),
    changes: [list],
  });
  const form = useForm({ clientId: '', domain: '' }, allow.error);
  const { clientId, domain } = form.values;
  return (
    <Section title={t('signing.title')} lead={t('signing.lead')}>
      <Form
        isInline
        submit={t('signing.allow')}
        action={allow}
        onSubmit={() => allow.run({ clientId: clientId.trim(), body: { domain: domain.trim() } })}
      >
        <TextInput label={t('signing.clientId')} required maxLength={64} {...form.text('clientId')} />
        <TextInput
          label={t('signing.domain')}
          placeholder={t('signing.domainPlaceholder')}
          required
          maxLength={256}
          {...form.text('domain')}
        />
      </Form>
      <QueryList
        read={domains}
        loading={t('signing.loading')}
        keyOf={(one) => `${one.clientId} ${one.domain}`}
        empty={<EmptyState title={t('signing.emptyTitle')}>{t('signing.empty')}</EmptyState>}
      >
        {(one) => (
          <Row
            title={one.domain}
            note={
              <>
                {t.rich('signing.since', {
                  clientId: one.clientId,
                  time: <Time key="time" at={one.createdTime} />,
                })}
                {one.notes !== undefined && `, “${one.notes}”`}
              </>
            }
            actions={
              <ConfirmButton
                label={t('signing.remove')}
                look={{ size: 'compact-sm' }}
                title={t('signing.removeTitle')}
                yes={t('signing.removeYes')}
                isDangerous
                action={remove}
                onYes={() => remove.runAsync({ clientId: one.clientId, domain: one.domain })}
              >
                <Text>{t('signing.removeLead', { domain: one.domain })}</Text>
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

const choices: Readonly<Record<Status, readonly (readonly [Decision, DecisionText])[]>> = {
  PENDING: [
    ['reject', 'decision.reject'],
    ['approve', 'decision.approve'],
  ],
  APPROVED: [
    ['revoke', 'decision.revoke'],
    ['list', 'decision.probeAndList'],
  ],
  LISTED: [
    ['revoke', 'decision.revoke'],
    ['approve', 'decision.takeOffList'],
  ],
  REJECTED: [['reopen', 'decision.reopen']],
  REVOKED: [['approve', 'decision.approveAgain']],
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
        kind="miniApp"
        note={(app) => (
          <>
            {app.description}
            {app.createdTime !== undefined && (
              <>
                <br />
                {t.rich('approvals.registered', { time: <Time key="time" at={app.createdTime} isRelative /> })}
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

const tones = { safe: 'good', unsafe: 'bad', failed: 'warn' } as const;

function Review({ app, onClose }: { app: MiniApp; onClose(): void }) {
  const id = app.id ?? '';
  const [notes, setNotes] = useState('');
  const changes = ['GET /latchkey/operator/mini-apps'] as const;
  const decide = useAction('POST /latchkey/operator/mini-apps/{id}/decision', {
    done: t('approvals.saved'),
    changes,
    onDone: onClose,
  });
  const probe = useAction('POST /latchkey/miniapps/{miniAppId}/probe', { changes });
  const decisions = choices[app.status];
  const last = app.actions?.at(-1);
  return (
    <Dialog title={app.name} size="large" onClose={onClose}>
      <Group gap="xs">
        <StatusState status={app.status} />
        <Text size="sm">{t.list(app.platforms ?? [])}</Text>
      </Group>
      <Text size="sm">{app.description}</Text>
      {app.url !== undefined && <Text size="sm">{t('miniApp.calledAt', { url: app.url })}</Text>}
      {app.feedback !== undefined && <Text size="sm">“{app.feedback}”</Text>}
      {last !== undefined && (
        <Text size="sm" c="dimmed">
          {last.notes === undefined
            ? t('miniApp.lastDecision', { action: last.action })
            : t('miniApp.lastDecisionWithNotes', { action: last.action, notes: last.notes })}
        </Text>
      )}
      <Group>
        <Button
          variant="default"
          size="compact-sm"
          loading={probe.isRunning}
          onClick={() => probe.run({ miniAppId: id })}
        >
          {t('miniApp.probe')}
        </Button>
        <Text size="sm" c="dimmed">
          {t('miniApp.probeHint')}
        </Text>
      </Group>
      <Failure error={probe.error} />
      {probe.answer !== undefined && (
        <Text size="sm">
          <State tone={tones[probe.answer.outcome]}>{t(`miniApp.${probe.answer.outcome}`)}</State>{' '}
          {probe.answer.reason ?? probe.answer.warnings?.join(' ') ?? t('miniApp.refusesForged')}
        </Text>
      )}
      <Textarea
        label={t('approvals.notes')}
        description={t('miniApp.notesHint')}
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
