import { Button, Group, Select, Textarea, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { IconPlus } from '../../shared/icons.tsx';
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
import { MiniAppList } from '../parts.tsx';

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
          <Button leftSection={<IconPlus size={16} />} onClick={() => setIsAdding(true)}>
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
      {orgId !== undefined && (
        <Section title="Registered">
          <MiniAppList
            orgId={orgId}
            empty={
              <EmptyState title="No mini-apps yet">
                Start from a working one with npm run new-miniapp, then register its address here.
              </EmptyState>
            }
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
      </Dialog>
    );
  return (
    <Dialog isOpen={isOpen} title="Register a mini-app" onClose={close}>
      <Form
        submit="Register"
        canSubmit={name.trim() !== '' && description.trim() !== ''}
        action={create}
        onSubmit={() => create.run({ body: { pk: orgId, name, description, ...(url !== '' && { url }) } })}
        onCancel={close}
      >
        <TextInput label="Name" required maxLength={200} data-autofocus {...form.text('name')} />
        <Textarea label="Description" required maxLength={8000} autosize minRows={2} {...form.text('description')} />
        <TextInput
          label="Address"
          description="Latchkey calls /metadata, /interactions and /events below it."
          type="url"
          placeholder="https://mini.example"
          maxLength={2048}
          {...form.text('url')}
        />
      </Form>
    </Dialog>
  );
}
