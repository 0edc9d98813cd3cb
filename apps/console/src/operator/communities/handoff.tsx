import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { Failure } from '../../shared/ui/index.ts';

/** Gives a community to somebody, for example when its last admin is gone. */
export function Handoff({ communityId, name, onClose }: { communityId: string; name: string; onClose(): void }) {
  const [userId, setUserId] = useState('');
  const [reason, setReason] = useState('');
  const handoff = useAction('POST /latchkey/operator/communities/{communityId}/transfer', {
    changes: ['GET /latchkey/operator/communities'],
    onDone: onClose,
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    handoff.run({
      communityId,
      body: { userId: userId.trim(), ...(reason.trim() !== '' && { reason: reason.trim() }) },
    });
  };
  return (
    <Modal opened onClose={onClose} title={`New owner for ${name}`} data-dialog-open>
      <form onSubmit={send}>
        <Stack gap="md">
          <Text size="sm">The chat platform is not asked. The community’s audit log shows what you did.</Text>
          <TextInput
            label="New owner"
            description="The id of a person, for example DIS#USER#123."
            required
            maxLength={128}
            value={userId}
            onChange={(event) => setUserId(event.currentTarget.value)}
          />
          <TextInput
            label="Reason"
            description="For the audit log."
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <Failure error={handoff.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={handoff.isRunning} disabled={userId.trim() === ''}>
              Change owner
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
