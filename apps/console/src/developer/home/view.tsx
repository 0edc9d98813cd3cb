import { Button, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction, useOperation, usePages } from '../../shared/api/index.ts';
import { IconPlus } from '../../shared/icons.ts';
import {
  Dialog,
  EmptyState,
  Form,
  Page,
  PagedList,
  Picture,
  QueryList,
  Row,
  Section,
  State,
  useForm,
} from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import { NewAppDialog } from '../new-app.tsx';
import { AppRow } from '../parts.tsx';

export function View() {
  const [isAddingApp, setIsAddingApp] = useState(false);
  const apps = usePages('GET /client-apps', {});
  return (
    <Page
      title={t('developers.title')}
      lead={t('developers.lead')}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={() => setIsAddingApp(true)}>
          {t('newApp.title')}
        </Button>
      }
    >
      <Section title={t('apps.title')}>
        <PagedList
          pages={apps}
          loading={t('apps.loading')}
          more={t('apps.more')}
          keyOf={({ id }) => id ?? ''}
          empty={<EmptyState title={t('apps.none')}>{t('apps.noneHow')}</EmptyState>}
        >
          {(app) => <AppRow app={app} />}
        </PagedList>
      </Section>
      <Organizations />
      <Section
        title={t('miniApps.title')}
        lead={t('miniApps.shortLead')}
        actions={
          <Button variant="default" component={Link} to="/developers/mini-apps">
            {t('miniApps.open')}
          </Button>
        }
      />
      <NewAppDialog isOpen={isAddingApp} onClose={() => setIsAddingApp(false)} />
    </Page>
  );
}

function Organizations() {
  const [isAdding, setIsAdding] = useState(false);
  const organizations = useOperation('GET /latchkey/dev-orgs', {});
  return (
    <Section
      title={t('organizations.title')}
      lead={t('organizations.lead')}
      actions={
        <Button variant="default" onClick={() => setIsAdding(true)}>
          {t('organizations.new')}
        </Button>
      }
    >
      <QueryList
        read={organizations}
        loading={t('organizations.loading')}
        keyOf={({ id }) => id}
        empty={<EmptyState title={t('organizations.none')}>{t('organizations.noneNote')}</EmptyState>}
      >
        {({ id, name, email, isVerified, planName }) => (
          <Row
            picture={<Picture name={name} />}
            title={
              <Link to="/developers/$orgId" params={{ orgId: id }} title={name}>
                {name}
              </Link>
            }
            states={!isVerified && <State tone="warn">{t('organizations.unconfirmed')}</State>}
            note={t('organizations.plan', { email, plan: planName })}
          />
        )}
      </QueryList>
      <NewOrganizationDialog isOpen={isAdding} onClose={() => setIsAdding(false)} />
    </Section>
  );
}

function NewOrganizationDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const navigate = useNavigate();
  const create = useAction('POST /dev-orgs', {
    changes: ['GET /latchkey/dev-orgs'],
    onDone: ({ sk }) => {
      onClose();
      void navigate({ to: '/developers/$orgId', params: { orgId: sk.replace('ORG#', '') } });
    },
  });
  const form = useForm({ name: '', email: '' }, create.error);
  return (
    <Dialog isOpen={isOpen} title={t('organizations.new')} onClose={onClose}>
      <Form
        submit={t('organizations.create')}
        action={create}
        onSubmit={() => create.run({ body: { name: form.values.name.trim(), email: form.values.email.trim() } })}
        onCancel={onClose}
      >
        <TextInput label={t('common.name')} required maxLength={200} data-autofocus {...form.text('name')} />
        <TextInput
          label={t('organizations.email')}
          description={t('organizations.emailNote')}
          type="email"
          required
          maxLength={254}
          {...form.text('email')}
        />
      </Form>
    </Dialog>
  );
}
