import { Alert, Button, Text, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import {
  ConfirmButton,
  CopyText,
  Failure,
  Form,
  NewSecrets,
  Page,
  Section,
  Time,
  useForm,
} from '../../shared/ui/index.ts';
import { type MessageId, t } from '../messages/index.ts';
import { ActionHistory, ReviewState, Unread } from '../parts.tsx';

const actionWords: Readonly<Record<string, MessageId & `miniAppAction.${string}`>> = {
  create: 'miniAppAction.created',
  approve: 'miniAppAction.approved',
  reject: 'miniAppAction.rejected',
  reopen: 'miniAppAction.reopened',
  revoke: 'miniAppAction.revoked',
  suspend: 'miniAppAction.suspended',
  list: 'miniAppAction.listed',
  rename: 'miniAppAction.renamed',
  'reset-secret': 'miniAppAction.keyReplaced',
  'set-profile': 'miniAppAction.profileChanged',
  submit: 'miniAppAction.submitted',
};

export function View() {
  const { miniAppId } = useScreenParams('miniAppId');
  const { data, error, refetch } = useOperation('GET /latchkey/miniapps/{miniAppId}', { miniAppId });
  if (data === undefined)
    return (
      <Unread title={t('miniApp.title')} loading={t('miniApp.loading')} error={error} onRetry={() => void refetch()} />
    );
  const { app } = data;
  return (
    <Page
      title={app.name}
      lead={<ReviewState status={app.status} />}
      crumbs={[
        { to: '/developers', title: t('developers.title') },
        { to: '/developers/mini-apps', title: t('miniApps.title') },
      ]}
    >
      <Submit app={app} miniAppId={miniAppId} />
      <Probe details={data} miniAppId={miniAppId} />
      <ProfileForm app={app} miniAppId={miniAppId} />
      <Section title={t('miniApp.publicKey')} lead={t('miniApp.publicKeyLead')}>
        <CopyText text={app.publicKey ?? ''} what={t('miniApp.whatPublicKey')} />
      </Section>
      <ActionHistory actions={app.actions ?? []} words={actionWords} />
      <Danger app={app} miniAppId={miniAppId} />
    </Page>
  );
}

const says = {
  PENDING: 'miniApp.pending',
  APPROVED: 'miniApp.approved',
  LISTED: 'miniApp.listed',
  REJECTED: undefined,
  REVOKED: undefined,
} as const satisfies Readonly<Record<MiniApp['status'], MessageId | undefined>>;

/** The review status of the mini-app, and a way to resubmit a rejected one. */
function Submit({ app, miniAppId }: { app: MiniApp; miniAppId: string }) {
  const submit = useAction('POST /latchkey/miniapps/{miniAppId}/submit', {
    done: t('miniApp.submitted'),
    changes: ['GET /latchkey/miniapps/{miniAppId}', 'GET /miniapps/dev-orgs/{organizationId}'],
  });
  const form = useForm({ notes: '' }, submit.error);
  const notes = form.values.notes.trim();
  const known = says[app.status];
  if (known !== undefined)
    return (
      <Section title={t('miniApp.review')}>
        <Text size="sm">{t(known)}</Text>
      </Section>
    );
  const reason = (app.actions ?? []).findLast(({ notes: why }) => why !== undefined)?.notes;
  return (
    <Section
      title={t('miniApp.submitAgain')}
      lead={reason === undefined ? t('miniApp.submitAgainLead') : t('miniApp.reasonGiven', { reason })}
    >
      <Form
        submit={t('miniApp.submit')}
        action={submit}
        onSubmit={() => submit.run({ miniAppId, body: notes === '' ? {} : { notes } })}
      >
        <Textarea label={t('miniApp.whatFixed')} maxLength={1000} autosize minRows={2} {...form.text('notes')} />
      </Form>
    </Section>
  );
}

/** New keys, and deletion. */
function Danger({ app, miniAppId }: { app: MiniApp; miniAppId: string }) {
  const navigate = useNavigate();
  const reset = useAction('PATCH /miniapps/{miniAppId}/reset-secret', {
    changes: ['GET /latchkey/miniapps/{miniAppId}'],
  });
  const remove = useAction('DELETE /miniapps/{miniAppId}', {
    done: t('miniApp.deleted'),
    changes: ['GET /miniapps/dev-orgs/{organizationId}'],
    onDone: () => void navigate({ to: '/developers/mini-apps' }),
  });
  return (
    <Section
      title={t('miniApp.keyAndDeletion')}
      actions={
        <>
          <ConfirmButton
            label={t('miniApp.replaceKey')}
            title={t('miniApp.replaceKeyTitle')}
            yes={t('miniApp.replaceKey')}
            isDangerous
            action={reset}
            onYes={() => reset.runAsync({ miniAppId })}
          >
            {t('miniApp.replaceKeyAbout')}
          </ConfirmButton>
          <ConfirmButton
            label={t('miniApp.delete')}
            look={{ color: 'red', variant: 'light' }}
            title={t('miniApp.deleteTitle', { name: app.name })}
            yes={t('miniApp.delete')}
            isDangerous
            action={remove}
            onYes={() => remove.runAsync({ miniAppId })}
          >
            {t('miniApp.deleteAbout')}
          </ConfirmButton>
        </>
      }
    >
      <NewSecrets secrets={[{ what: t('miniApp.newPrivateKey'), value: reset.answer?.privateKey }]} />
    </Section>
  );
}

const colors = { safe: 'green', unsafe: 'red', failed: 'yellow' } as const;

/** Calls the mini-app as the server does before it is listed, and explains the result. */
function Probe({ details, miniAppId }: { details: MiniAppDetails; miniAppId: string }) {
  const probe = useAction('POST /latchkey/miniapps/{miniAppId}/probe', {
    changes: ['GET /latchkey/miniapps/{miniAppId}'],
  });
  const { app, probedAt, signature, version, commands } = details;
  const result = probe.error === null ? probe.answer : undefined;
  return (
    <Section
      title={t('probe.title')}
      lead={t('probe.lead')}
      actions={
        <Button
          variant="default"
          loading={probe.isRunning}
          disabled={app.url === undefined}
          onClick={() => probe.run({ miniAppId })}
        >
          {t('probe.checkNow')}
        </Button>
      }
    >
      {app.url === undefined && <Text size="sm">{t('probe.noAddress')}</Text>}
      <Failure error={probe.error} />
      {result !== undefined && (
        <Alert role="status" color={colors[result.outcome]} title={t(`probe.${result.outcome}`)}>
          {result.reason !== undefined && <p>{result.reason}</p>}
          <p>{t(`probe.${result.outcome}Next`)}</p>
          {result.warnings?.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
          {result.signature !== undefined && <p>{t('probe.verifies', { signature: result.signature })}</p>}
        </Alert>
      )}
      {probedAt !== undefined && (
        <Text size="sm">
          {t.rich('probe.lastChecked', { time: <Time key="time" at={probedAt} /> })}
          {version !== undefined && ` · ${t('probe.version', { version })}`}
          {signature !== undefined && ` · ${t('probe.signatures', { signature })}`}
          {commands.length > 0 && ` · ${t('probe.commands', { commands: t.list(commands.map((name) => `/${name}`)) })}`}
        </Text>
      )}
    </Section>
  );
}

function ProfileForm({ app, miniAppId }: { app: MiniApp; miniAppId: string }) {
  const changes = ['GET /latchkey/miniapps/{miniAppId}', 'GET /miniapps/dev-orgs/{organizationId}'] as const;
  const rename = useAction('PATCH /miniapps/{miniAppId}', { changes });
  const save = useAction('PUT /latchkey/miniapps/{miniAppId}/profile', { changes });
  const error = rename.error ?? save.error;
  const form = useForm({ name: app.name, description: app.description, url: app.url ?? '' }, error);
  const { name, description, url } = form.values;
  const isFixed = app.status === 'APPROVED' || app.status === 'LISTED';
  const submit = async () => {
    try {
      if (name !== app.name) await rename.runAsync({ miniAppId, body: { name } });
      await save.runAsync({
        miniAppId,
        body: {
          description,
          ...(url.trim() !== '' && { url: url.trim() }),
          ...(app.icon !== undefined && { icon: app.icon }),
        },
      });
    } catch {
      // The actions hold the error.
    }
  };
  return (
    <Section title={t('miniApp.profile')}>
      <Form
        submit={t('miniApp.saveProfile')}
        saved={t('common.saved')}
        isQuiet
        canSubmit={name.trim() !== '' && description.trim() !== ''}
        action={{ isRunning: rename.isRunning || save.isRunning, error, answer: save.answer }}
        onSubmit={() => void submit()}
      >
        <TextInput label={t('common.name')} required maxLength={200} {...form.text('name')} />
        <Textarea
          label={t('common.description')}
          required
          maxLength={8000}
          autosize
          minRows={2}
          maxRows={12}
          {...form.text('description')}
        />
        <TextInput
          label={t('common.address')}
          description={t(isFixed ? 'miniApp.addressFixed' : 'miniApps.addressNote')}
          type="url"
          disabled={isFixed}
          maxLength={2048}
          {...form.text('url')}
        />
      </Form>
    </Section>
  );
}

type MiniAppDetails = Answer<'GET /latchkey/miniapps/{miniAppId}'>;
type MiniApp = MiniAppDetails['app'];
