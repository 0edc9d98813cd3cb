import { Button, Group, Modal, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { IconPlus } from '../../shared/icons.tsx';
import { EmptyState, Failure, Loading, NewSecrets, Page, Picture, Row, Section } from '../../shared/ui/index.ts';
import { ReviewState } from '../review-state.tsx';

export function View() {
  const [chosen, setChosen] = useState<string>();
  const [isAdding, setIsAdding] = useState(false);
  const { data, error, isLoading, refetch } = useOperation('GET /latchkey/dev-orgs', {});
  const verified = (data ?? []).filter(({ isVerified }) => isVerified);
  const orgId = chosen ?? verified[0]?.id;
  return (
    <Page
      title="Mini-apps"
      lead="Small apps of yours that work inside communities: their commands, buttons and forms appear in Discord."
      crumbs={[{ to: '/developers', title: 'Developers' }]}
      actions={
        orgId !== undefined && (
          <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => setIsAdding(true)}>
            Register mini-app
          </Button>
        )
      }
    >
      {isLoading && <Loading what="organizations" />}
      <Failure error={error} onRetry={() => void refetch()} />
      {data !== undefined && orgId === undefined && (
        <EmptyState
          title="Mini-apps belong to an organization"
          action={
            <Button component={Link} to="/developers" variant="default">
              Go to organizations
            </Button>
          }
        >
          Create an organization and confirm its e-mail address first.
        </EmptyState>
      )}
      {verified.length > 1 && (
        <Select
          label="Organization"
          data={verified.map(({ id, name }) => ({ value: id, label: name }))}
          value={orgId ?? null}
          allowDeselect={false}
          onChange={(value) => setChosen(value ?? undefined)}
        />
      )}
      {orgId !== undefined && <OfOrganization orgId={orgId} />}
      {orgId !== undefined && <RegisterDialog isOpen={isAdding} orgId={orgId} onClose={() => setIsAdding(false)} />}
    </Page>
  );
}

function OfOrganization({ orgId }: { orgId: string }) {
  const { data, error, isLoading, refetch } = useOperation('GET /miniapps/dev-orgs/{organizationId}', {
    organizationId: orgId,
  });
  return (
    <Section title="Registered">
      {isLoading && <Loading what="mini-apps" />}
      <Failure error={error} onRetry={() => void refetch()} />
      {data?.length === 0 && (
        <EmptyState title="No mini-apps yet">
          Start from a working one with npm run new-miniapp, then register its address here.
        </EmptyState>
      )}
      {data?.map(({ id = '', name, description, status }) => (
        <Row
          key={id}
          picture={<Picture name={name} />}
          title={
            <Link to="/developers/mini-apps/$miniAppId" params={{ miniAppId: id }} title={name}>
              {name}
            </Link>
          }
          states={<ReviewState status={status} />}
          note={description.slice(0, 160)}
        />
      ))}
    </Section>
  );
}

function RegisterDialog({ isOpen, orgId, onClose }: { isOpen: boolean; orgId: string; onClose(): void }) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [url, setUrl] = useState('');
  const navigate = useNavigate();
  const create = useAction('POST /miniapps', { changes: ['GET /miniapps/dev-orgs/{organizationId}'] });
  const made = create.answer;
  const close = () => {
    create.reset();
    onClose();
  };
  if (made !== undefined)
    return (
      <Modal opened={isOpen} onClose={close} title={made.name}>
        <Stack>
          <NewSecrets secrets={[{ what: 'Private key', value: made.privateKey }]} />
          <Group justify="flex-end">
            <Button
              onClick={() =>
                void navigate({ to: '/developers/mini-apps/$miniAppId', params: { miniAppId: made.id ?? '' } })
              }
            >
              I have copied it
            </Button>
          </Group>
        </Stack>
      </Modal>
    );
  return (
    <Modal opened={isOpen} onClose={close} title="Register a mini-app">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.run({ body: { pk: orgId, name, description, ...(url.trim() !== '' && { url: url.trim() }) } });
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
          <Textarea
            label="Description"
            required
            maxLength={8000}
            autosize
            minRows={2}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <TextInput
            label="Address"
            description="Latchkey calls /metadata, /interactions and /events below it."
            type="url"
            placeholder="https://mini.example"
            maxLength={2048}
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <Failure error={create.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isRunning} disabled={name.trim() === '' || description.trim() === ''}>
              Register
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
