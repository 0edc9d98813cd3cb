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
import { ActionHistory, ReviewState, Unread } from '../parts.tsx';

const actionWords: Readonly<Record<string, string>> = {
  create: 'Registered and submitted for review',
  approve: 'Approved',
  reject: 'Rejected',
  reopen: 'Reopened by the operator',
  revoke: 'Revoked',
  suspend: 'Revoked because it failed a probe',
  list: 'Listed in the marketplace',
  rename: 'Renamed',
  'reset-secret': 'Key pair replaced',
  'set-profile': 'Profile changed',
  submit: 'Submitted for review',
};

export function View() {
  const { miniAppId } = useScreenParams('miniAppId');
  const { data, error, refetch } = useOperation('GET /latchkey/miniapps/{miniAppId}', { miniAppId });
  if (data === undefined)
    return <Unread title="Mini-app" what="the mini-app" error={error} onRetry={() => void refetch()} />;
  const { app } = data;
  return (
    <Page
      title={app.name}
      lead={<ReviewState status={app.status} />}
      crumbs={[
        { to: '/developers', title: 'Developers' },
        { to: '/developers/mini-apps', title: 'Mini-apps' },
      ]}
    >
      <Submit app={app} miniAppId={miniAppId} />
      <Probe details={data} miniAppId={miniAppId} />
      <ProfileForm app={app} miniAppId={miniAppId} />
      <Section title="Public key" lead="What Latchkey sends to your webhook is signed with the private half.">
        <CopyText text={app.publicKey ?? ''} what="public key" />
      </Section>
      <ActionHistory actions={app.actions ?? []} words={actionWords} />
      <Danger app={app} miniAppId={miniAppId} />
    </Page>
  );
}

const says: Readonly<Partial<Record<MiniApp['status'], string>>> = {
  PENDING: 'The operator of this server reviews it. Check it below meanwhile: it must pass before it can be listed.',
  APPROVED: 'The operator approved it and can list it in the marketplace.',
  LISTED: 'Communities can install it. It is checked every week.',
};

/** The review status of the mini-app, and a way to resubmit a rejected one. */
function Submit({ app, miniAppId }: { app: MiniApp; miniAppId: string }) {
  const submit = useAction('POST /latchkey/miniapps/{miniAppId}/submit', {
    done: 'Submitted for review.',
    changes: ['GET /latchkey/miniapps/{miniAppId}', 'GET /miniapps/dev-orgs/{organizationId}'],
  });
  const form = useForm({ notes: '' }, submit.error);
  const notes = form.values.notes.trim();
  const known = says[app.status];
  if (known !== undefined)
    return (
      <Section title="Review">
        <Text size="sm">{known}</Text>
      </Section>
    );
  const reason = (app.actions ?? []).findLast(({ notes: why }) => why !== undefined)?.notes;
  return (
    <Section
      title="Submit it again"
      lead={reason === undefined ? 'Fix it, then have it reviewed again.' : `The reason given: ${reason}`}
    >
      <Form
        submit="Submit for review"
        action={submit}
        onSubmit={() => submit.run({ miniAppId, body: notes === '' ? {} : { notes } })}
      >
        <Textarea label="What did you fix?" maxLength={1000} autosize minRows={2} {...form.text('notes')} />
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
    done: 'Mini-app deleted.',
    changes: ['GET /miniapps/dev-orgs/{organizationId}'],
    onDone: () => void navigate({ to: '/developers/mini-apps' }),
  });
  return (
    <Section
      title="Key pair and deletion"
      actions={
        <>
          <ConfirmButton
            label="Replace key pair"
            title="Replace the key pair?"
            yes="Replace key pair"
            isDangerous
            action={reset}
            onYes={() => reset.runAsync({ miniAppId })}
          >
            What is sent from then on is signed with the new one.
          </ConfirmButton>
          <ConfirmButton
            label="Delete mini-app"
            look={{ color: 'red', variant: 'light' }}
            title={`Delete ${app.name}?`}
            yes="Delete mini-app"
            isDangerous
            action={remove}
            onYes={() => remove.runAsync({ miniAppId })}
          >
            It is removed from every community that installed it.
          </ConfirmButton>
        </>
      }
    >
      <NewSecrets secrets={[{ what: 'New private key', value: reset.answer?.privateKey }]} />
    </Section>
  );
}

const signatures = { ed25519: 'Ed25519', ecdsa: 'ECDSA', both: 'Ed25519 and ECDSA' } as const;

const meanings = {
  safe: {
    color: 'green',
    title: 'It is ready to be listed',
    next: 'It answered correctly and refused every forged call.',
  },
  unsafe: {
    color: 'red',
    title: 'It accepts forged calls',
    next: 'Anyone could send it commands. Verify the signature and timestamp of every request before you do anything else, and respond with 401 if they are wrong.',
  },
  failed: {
    color: 'yellow',
    title: 'It could not be checked',
    next: 'Make sure it runs at the address below and can be reached from this server, then check again.',
  },
} as const;

/** Calls the mini-app as the server does before it is listed, and explains the result. */
function Probe({ details, miniAppId }: { details: MiniAppDetails; miniAppId: string }) {
  const probe = useAction('POST /latchkey/miniapps/{miniAppId}/probe', {
    changes: ['GET /latchkey/miniapps/{miniAppId}'],
  });
  const { app, probedAt, signature, version, commands } = details;
  const result = probe.error === null ? probe.answer : undefined;
  return (
    <Section
      title="Check it"
      lead="Reads its metadata, finds which signatures it verifies, and sends forged calls that it must refuse. Once a minute."
      actions={
        <Button
          variant="default"
          loading={probe.isRunning}
          disabled={app.url === undefined}
          onClick={() => probe.run({ miniAppId })}
        >
          Check now
        </Button>
      }
    >
      {app.url === undefined && <Text size="sm">Give it an address below first.</Text>}
      <Failure error={probe.error} />
      {result !== undefined && (
        <Alert role="status" color={meanings[result.outcome].color} title={meanings[result.outcome].title}>
          {result.reason !== undefined && <p>{result.reason}</p>}
          <p>{meanings[result.outcome].next}</p>
          {result.signature !== undefined && <p>It verifies {signatures[result.signature]} signatures.</p>}
        </Alert>
      )}
      {probedAt !== undefined && (
        <Text size="sm">
          Last checked before listing or by schedule: <Time at={probedAt} />
          {version !== undefined && ` · version ${version}`}
          {signature !== undefined && ` · ${signatures[signature]}`}
          {commands.length > 0 && ` · commands: ${commands.map((name) => `/${name}`).join(', ')}`}
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
    <Section title="Profile">
      <Form
        submit="Save profile"
        saved="Saved"
        isQuiet
        canSubmit={name.trim() !== '' && description.trim() !== ''}
        action={{ isRunning: rename.isRunning || save.isRunning, error, answer: save.answer }}
        onSubmit={() => void submit()}
      >
        <TextInput label="Name" required maxLength={200} {...form.text('name')} />
        <Textarea
          label="Description"
          required
          maxLength={8000}
          autosize
          minRows={2}
          maxRows={12}
          {...form.text('description')}
        />
        <TextInput
          label="Address"
          description={
            isFixed
              ? 'The operator approved what is at this address. Register a new address as another mini-app.'
              : 'Latchkey calls /metadata, /interactions and /events below it.'
          }
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
