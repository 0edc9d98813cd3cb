import { Button, Group, Radio, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../shared/api/index.ts';
import { Dialog, Form, NewSecrets, useForm } from '../shared/ui/index.ts';
import { toLines } from './lines.ts';

type ClientType = 'confidential' | 'public' | 'apiKey';
type NewApp = Answer<'POST /client-apps'>;

const kinds: readonly { value: ClientType; label: string; description: string }[] = [
  {
    value: 'confidential',
    label: 'Web app with a server',
    description: 'Logs people in and keeps a secret on a server.',
  },
  { value: 'public', label: 'Browser or mobile app', description: 'Logs people in and cannot keep a secret.' },
  { value: 'apiKey', label: 'API key only', description: 'Calls the API in its own name, without signing people in.' },
];

/** Creates an application, and shows its secrets once it exists. */
export function NewAppDialog({ isOpen, orgId, onClose }: { isOpen: boolean; orgId?: string; onClose(): void }) {
  const [made, setMade] = useState<NewApp>();
  const navigate = useNavigate();
  const close = () => {
    setMade(undefined);
    onClose();
  };
  const open = (id: string) => {
    close();
    void navigate({ to: '/developers/apps/$appId', params: { appId: id } });
  };
  return (
    <Dialog isOpen={isOpen} title={made?.name ?? 'New application'} size="large" onClose={close}>
      {made === undefined ? (
        <NewAppForm orgId={orgId} onMade={setMade} onCancel={close} />
      ) : (
        <>
          <NewSecrets
            secrets={[
              { what: 'API key', value: made.apiKey },
              { what: 'Client secret', value: made.clientSecret },
              { what: 'Webhook secret', value: made.secret },
            ]}
          />
          <Group justify="flex-end">
            <Button onClick={() => open(made.id ?? '')}>I have copied them</Button>
          </Group>
        </>
      )}
    </Dialog>
  );
}

function NewAppForm({
  orgId,
  onMade,
  onCancel,
}: {
  orgId: string | undefined;
  onMade(app: NewApp): void;
  onCancel(): void;
}) {
  const organizations = useOperation('GET /latchkey/dev-orgs', {});
  const create = useAction('POST /client-apps', {
    changes: ['GET /client-apps', 'GET /client-apps/dev-orgs/{organizationId}'],
    onDone: onMade,
  });
  const form = useForm(
    { name: '', clientType: 'public' as ClientType, redirects: '', owner: orgId ?? '' },
    create.error,
  );
  const { name, clientType, redirects, owner } = form.values;
  const submit = () => {
    const redirectUris = clientType === 'apiKey' ? [] : toLines(redirects);
    create.run({
      body: {
        name,
        clientType,
        ...(redirectUris.length > 0 && { redirectUris }),
        ...(clientType !== 'apiKey' && { allowedGrantTypes: ['authorization_code', 'refresh_token'] }),
        ...(owner !== '' && { pk: owner }),
      },
    });
  };
  const verified = (organizations.data ?? []).filter(({ isVerified }) => isVerified);
  return (
    <Form
      submit="Create application"
      canSubmit={name.trim() !== ''}
      action={create}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <TextInput
        label="Name"
        description="People see it when they sign in."
        required
        maxLength={200}
        data-autofocus
        {...form.text('name')}
      />
      <Radio.Group label="Type" {...form.choice('clientType')}>
        <Stack gap="xs" mt="xs">
          {kinds.map((kind) => (
            <Radio key={kind.value} {...kind} />
          ))}
        </Stack>
      </Radio.Group>
      {clientType !== 'apiKey' && (
        <Textarea
          label="Redirect URIs"
          description="Where logins return to, one per line. You can add them later."
          placeholder="https://app.example/callback"
          autosize
          minRows={2}
          {...form.text('redirects')}
        />
      )}
      {verified.length > 0 && orgId === undefined && (
        <Select
          label="Owner"
          data={[{ value: '', label: 'Just me' }, ...verified.map(({ id, name: label }) => ({ value: id, label }))]}
          allowDeselect={false}
          {...form.choice('owner')}
        />
      )}
    </Form>
  );
}
