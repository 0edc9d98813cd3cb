import { Button, Group, Radio, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../shared/api/index.ts';
import { Dialog, Form, NewSecrets, useForm } from '../shared/ui/index.ts';
import { toLines } from './lines.ts';
import { t } from './messages/index.ts';

const clientTypes = ['confidential', 'public', 'apiKey'] as const;
type ClientType = (typeof clientTypes)[number];
type NewApp = Answer<'POST /client-apps'>;

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
    <Dialog isOpen={isOpen} title={made?.name ?? t('newApp.title')} size="large" onClose={close}>
      {made === undefined ? (
        <NewAppForm orgId={orgId} onMade={setMade} onCancel={close} />
      ) : (
        <>
          <NewSecrets
            secrets={[
              { what: t('common.apiKey'), value: made.apiKey },
              { what: t('common.clientSecret'), value: made.clientSecret },
              { what: t('common.webhookSecret'), value: made.secret },
            ]}
          />
          <Group justify="flex-end">
            <Button onClick={() => open(made.id ?? '')}>{t('newApp.copied')}</Button>
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
      submit={t('newApp.create')}
      canSubmit={name.trim() !== ''}
      action={create}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <TextInput
        label={t('common.name')}
        description={t('newApp.nameNote')}
        required
        maxLength={200}
        data-autofocus
        {...form.text('name')}
      />
      <Radio.Group label={t('newApp.type')} {...form.choice('clientType')}>
        <Stack gap="xs" mt="xs">
          {clientTypes.map((type) => (
            <Radio key={type} value={type} label={t(`appType.${type}`)} description={t(`appType.${type}Note`)} />
          ))}
        </Stack>
      </Radio.Group>
      {clientType !== 'apiKey' && (
        <Textarea
          label={t('common.redirects')}
          description={t('newApp.redirectsNote')}
          placeholder="https://app.example/callback"
          autosize
          minRows={2}
          {...form.text('redirects')}
        />
      )}
      {verified.length > 0 && orgId === undefined && (
        <Select
          label={t('newApp.owner')}
          data={[
            { value: '', label: t('newApp.justMe') },
            ...verified.map(({ id, name: label }) => ({ value: id, label })),
          ]}
          allowDeselect={false}
          {...form.choice('owner')}
        />
      )}
    </Form>
  );
}
