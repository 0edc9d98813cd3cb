import { Button, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction, useOperation, usePages } from '../../shared/api/index.ts';
import { IconPlus } from '../../shared/icons.tsx';
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
import { NewAppDialog } from '../new-app.tsx';
import { AppRow } from '../parts.tsx';

export function View() {
  const [isAddingApp, setIsAddingApp] = useState(false);
  const apps = usePages('GET /client-apps', {});
  return (
    <Page
      title="Developers"
      lead="Applications that log people in or call the API, and the organizations they belong to."
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={() => setIsAddingApp(true)}>
          New application
        </Button>
      }
    >
      <Section title="Applications">
        <PagedList
          pages={apps}
          what="applications"
          keyOf={({ id }) => id ?? ''}
          empty={
            <EmptyState title="No applications yet">
              Create one to get an API key and to let people sign in with their wallet.
            </EmptyState>
          }
        >
          {(app) => <AppRow app={app} />}
        </PagedList>
      </Section>
      <Organizations />
      <Section
        title="Mini-apps"
        lead="Small apps of yours that work inside communities."
        actions={
          <Button variant="default" component={Link} to="/developers/mini-apps">
            Open mini-apps
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
      title="Organizations"
      lead="An organization has its own plan, mini-apps and wallet."
      actions={
        <Button variant="default" onClick={() => setIsAdding(true)}>
          New organization
        </Button>
      }
    >
      <QueryList
        read={organizations}
        what="organizations"
        keyOf={({ id }) => id}
        empty={<EmptyState title="No organizations yet">You can build without one. Mini-apps need one.</EmptyState>}
      >
        {({ id, name, email, isVerified, planName }) => (
          <Row
            picture={<Picture name={name} />}
            title={
              <Link to="/developers/$orgId" params={{ orgId: id }} title={name}>
                {name}
              </Link>
            }
            states={!isVerified && <State tone="warn">Confirm the e-mail address</State>}
            note={`${email} · ${planName} plan`}
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
    <Dialog isOpen={isOpen} title="New organization" onClose={onClose}>
      <Form
        submit="Create organization"
        action={create}
        onSubmit={() => create.run({ body: { name: form.values.name.trim(), email: form.values.email.trim() } })}
        onCancel={onClose}
      >
        <TextInput label="Name" required maxLength={200} data-autofocus {...form.text('name')} />
        <TextInput
          label="E-mail address"
          description="A code is sent there to confirm it."
          type="email"
          required
          maxLength={254}
          {...form.text('email')}
        />
      </Form>
    </Dialog>
  );
}
