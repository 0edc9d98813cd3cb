import { Button, Group, Modal, MultiSelect, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { Failure } from '../../shared/ui/index.ts';

const daySeconds = 24 * 60 * 60;

/** Creates a pass. What was typed stays if that fails. */
export function NewPass({ communityId, isOpen, onClose }: { communityId: string; isOpen: boolean; onClose(): void }) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [roleIds, setRoleIds] = useState<string[]>([]);
  const [days, setDays] = useState<number | string>(30);
  const roles = useOperation(
    'GET /latchkey/communities/{communityId}/chat-roles',
    { communityId },
    { enabled: isOpen },
  );
  const items = roles.data?.items ?? [];
  const create = useAction('POST /discord/{guildId}/guest-passes', {
    changes: ['GET /discord/{guildId}/guest-passes'],
    onDone: () => {
      setName('');
      setDescription('');
      setRoleIds([]);
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const roleSet = items
      .filter(({ id }) => roleIds.includes(id))
      .map(({ id, name: roleName, color }) => ({ id, name: roleName, ...(color !== undefined && { color }) }));
    create.run({
      guildId: communityId,
      body: {
        name: name.trim(),
        roleSet,
        period: Number(days) * daySeconds,
        ...(description.trim() !== '' && { description: description.trim() }),
      },
    });
  };
  return (
    <Modal opened={isOpen} onClose={onClose} title="New guest pass">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label="What it is for"
            maxLength={2000}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <MultiSelect
            label="Roles"
            required
            searchable
            data={items.map(({ id, name: roleName, canBeGiven }) => ({
              value: id,
              label: canBeGiven ? roleName : `${roleName} (the bot cannot give it)`,
              disabled: !canBeGiven,
            }))}
            value={roleIds}
            onChange={setRoleIds}
          />
          <NumberInput label="How many days it lasts" required min={1} max={3650} value={days} onChange={setDays} />
          <Failure error={roles.error} onRetry={() => void roles.refetch()} />
          <Failure error={create.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={create.isRunning}
              disabled={name.trim() === '' || roleIds.length === 0 || !(Number(days) >= 1)}
            >
              Create pass
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
