import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { Failure } from '../../shared/ui/index.ts';

export function NewOrganizationDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
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
