import { Button, Group, Select, Textarea, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { IconPlus } from '../../shared/icons.ts';
import {
  Dialog,
  EmptyState,
  Failure,
  Form,
  Loading,
  NewSecrets,
  Page,
  Section,
  useForm,
} from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import { MiniAppList } from '../parts.tsx';

export function View() {
  const [chosen, setChosen] = useState<string>();
  const [isAdding, setIsAdding] = useState(false);
  const { data, error, isLoading, refetch } = useOperation('GET /latchkey/dev-orgs', {});
  const verified = (data ?? []).filter(({ isVerified }) => isVerified);
  const orgId = chosen ?? verified[0]?.id;
  return (
    <Page
      title={t('miniApps.title')}
      lead={t('miniApps.lead')}
      crumbs={[{ to: '/developers', title: t('developers.title') }]}
      actions={
        orgId !== undefined && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setIsAdding(true)}>
            {t('miniApps.register')}
          </Button>
        )
      }
    >
      {isLoading && <Loading text={t('organizations.loading')} />}
      <Failure error={error} onRetry={() => void refetch()} />
      {data !== undefined && orgId === undefined && (
        <EmptyState
          title={t('miniApps.noOrganization')}
          action={
            <Button component={Link} to="/developers" variant="default">
              {t('miniApps.toOrganizations')}
            </Button>
          }
        >
          {t('miniApps.noOrganizationHow')}
        </EmptyState>
      )}
      {verified.length > 1 && (
        <Select
          label={t('miniApps.organization')}
          data={verified.map(({ id, name }) => ({ value: id, label: name }))}
          value={orgId ?? null}
          allowDeselect={false}
          onChange={(value) => setChosen(value ?? undefined)}
        />
      )}
      {orgId !== undefined && (
        <Section title={t('miniApps.registered')}>
          <MiniAppList
            orgId={orgId}
            empty={<EmptyState title={t('miniApps.none')}>{t('miniApps.noneHow')}</EmptyState>}
          />
        </Section>
      )}
      {orgId !== undefined && <RegisterDialog isOpen={isAdding} orgId={orgId} onClose={() => setIsAdding(false)} />}
    </Page>
  );
}

function RegisterDialog({ isOpen, orgId, onClose }: { isOpen: boolean; orgId: string; onClose(): void }) {
  const navigate = useNavigate();
  const create = useAction('POST /miniapps', { changes: ['GET /miniapps/dev-orgs/{organizationId}'] });
  const form = useForm({ name: '', description: '', url: '' }, create.error);
  const { name, description } = form.values;
  const url = form.values.url.trim();
  const made = create.answer;
  const close = () => {
    create.reset();
    onClose();
  };
  if (made !== undefined)
    return (
      <Dialog isOpen={isOpen} title={made.name} onClose={close}>
        <NewSecrets secrets={[{ what: t('miniApps.privateKey'), value: made.privateKey }]} />
        <Group justify="flex-end">
          <Button
            onClick={() =>
              void navigate({ to: '/developers/mini-apps/$miniAppId', params: { miniAppId: made.id ?? '' } })
            }
          >
            {t('miniApps.copied')}
          </Button>
        </Group>
      </Dialog>
    );
  return (
    <Dialog isOpen={isOpen} title={t('miniApps.registerTitle')} onClose={close}>
      <Form
        submit={t('miniApps.registerYes')}
        canSubmit={name.trim() !== '' && description.trim() !== ''}
        action={create}
        onSubmit={() => create.run({ body: { pk: orgId, name, description, ...(url !== '' && { url }) } })}
        onCancel={close}
      >
        <TextInput label={t('common.name')} required maxLength={200} data-autofocus {...form.text('name')} />
        <Textarea
          label={t('common.description')}
          required
          maxLength={8000}
          autosize
          minRows={2}
          {...form.text('description')}
        />
        <TextInput
          label={t('common.address')}
          description={t('miniApps.addressNote')}
          type="url"
          placeholder="https://mini.example"
          maxLength={2048}
          {...form.text('url')}
        />
      </Form>
    </Dialog>
  );
}
