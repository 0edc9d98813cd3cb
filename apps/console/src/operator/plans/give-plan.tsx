import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { Failure } from '../../shared/ui/index.ts';

/** Gives a plan to somebody without payment, or takes it away. */
export function GivePlan({ id, name, onClose }: { id: string; name: string; onClose(): void }) {
  const [subscriberId, setSubscriberId] = useState('');
  const give = useAction('PUT /latchkey/plans/{planId}/subscribers/{subscriberId}', { onDone: onClose });
  const take = useAction('DELETE /latchkey/plans/{planId}/subscribers/{subscriberId}', { onDone: onClose });
  const input = { planId: id, subscriberId: subscriberId.trim() };
  const isReady = input.subscriberId !== '';
  return (
    <Modal opened onClose={onClose} title={`Give or take ${name}`} data-dialog-open>
      <Stack gap="md">
        <Text size="sm">Nobody is charged, and nothing is paid back.</Text>
        <TextInput
          label="Community or organization"
          description="Its id, for example DIS#COMM#123."
          required
          maxLength={128}
          value={subscriberId}
          onChange={(event) => setSubscriberId(event.currentTarget.value)}
        />
        <Failure error={give.error ?? take.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={!isReady} loading={take.isRunning} onClick={() => take.run(input)}>
            Take plan away
          </Button>
          <Button disabled={!isReady} loading={give.isRunning} onClick={() => give.run(input)}>
            Give plan
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
