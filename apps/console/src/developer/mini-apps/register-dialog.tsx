import { Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { Failure, NewSecrets } from '../../shared/ui/index.ts';

export function RegisterDialog({ isOpen, orgId, onClose }: { isOpen: boolean; orgId: string; onClose(): void }) {
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
