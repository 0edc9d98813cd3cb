import { Button, Group, Stack, Text } from '@mantine/core';
import type { Action } from '../../shared/api/index.ts';
import { Failure, State } from '../../shared/ui/index.ts';

const levels = { ok: ['good', 'OK'], warn: ['warn', 'Check'], fail: ['bad', 'Will fail'] } as const;

/** Tries the set-up of an application: what works, what may surprise, what will fail. */
export function Findings({
  examine,
  onExamine,
}: {
  examine: Action<'POST /latchkey/operator/applications/{id}/examination'>;
  onExamine(): void;
}) {
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" size="compact-sm" loading={examine.isRunning} onClick={onExamine}>
          Test its set-up
        </Button>
        <Text size="sm" c="dimmed">
          Sends its webhook a test event. Changes nothing.
        </Text>
      </Group>
      <Failure error={examine.error} />
      {examine.answer?.findings.map(({ level, about, says }) => (
        <Text key={`${about} ${says}`} size="sm">
          <State tone={levels[level][0]}>{levels[level][1]}</State> {about}: {says}
        </Text>
      ))}
    </Stack>
  );
}
