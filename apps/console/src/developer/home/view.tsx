import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction, useOperation, usePages } from '../../shared/api/index.ts';
import { IconPlus } from '../../shared/icons.tsx';
import { EmptyState, Failure, Loading, Page, PagedList, Picture, Row, Section, State } from '../../shared/ui/index.ts';
import { AppRow } from '../app-row.tsx';
import { NewAppDialog } from '../new-app.tsx';

export function View() {
  const [isAddingApp, setIsAddingApp] = useState(false);
  const apps = usePages('GET /client-apps', {});
  return (
    <Page
      title="Developers"
      lead="Applications that log people in or call the API, and the organizations they belong to."
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => setIsAddingApp(true)}>
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
              Create one to get an API key and to let people log in with their wallet.
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
      >
        {null}
      </Section>
      <NewAppDialog isOpen={isAddingApp} onClose={() => setIsAddingApp(false)} />
    </Page>
  );
}

function Organizations() {
  const [isAdding, setIsAdding] = useState(false);
  const { data, error, isLoading, refetch } = useOperation('GET /latchkey/dev-orgs', {});
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
      {isLoading && <Loading what="organizations" />}
      <Failure error={error} onRetry={() => void refetch()} />
      {data?.length === 0 && (
        <EmptyState title="No organizations yet">You can build without one. Mini-apps need one.</EmptyState>
      )}
      {data?.map(({ id, name, email, isVerified, planName }) => (
        <Row
          key={id}
          picture={<Picture name={name} />}
          title={
            <Link to="/developers/$orgId" params={{ orgId: id }} title={name}>
              {name}
            </Link>
          }
          states={isVerified ? undefined : <State tone="warn">Confirm the e-mail address</State>}
          note={`${email} · ${planName} plan`}
        />
      ))}
      <NewOrganizationDialog isOpen={isAdding} onClose={() => setIsAdding(false)} />
    </Section>
  );
}

function NewOrganizationDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const navigate = useNavigate();
  const create = useAction('POST /dev-orgs', {
    changes: ['GET /latchkey/dev-orgs'],
    onDone: ({ sk }) => {
      onClose();
      void navigate({ to: '/developers/$orgId', params: { orgId: sk.replace('ORG#', '') } });
    },
  });
  return (
    <Modal opened={isOpen} onClose={onClose} title="New organization">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.run({ body: { name: name.trim(), email: email.trim() } });
        }}
      >
        <Stack>
          <TextInput
            label="Name"
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <TextInput
            label="E-mail address"
            description="A code is sent there to confirm it."
            type="email"
            required
            maxLength={254}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Failure error={create.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isRunning}>
              Create organization
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
