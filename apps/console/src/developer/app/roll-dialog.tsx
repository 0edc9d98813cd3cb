import { Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';

/** How long a replaced key or secret stays valid. */
const overlaps = [
  { seconds: '0', name: 'now' },
  { seconds: '3600', name: 'hour' },
  { seconds: '86400', name: 'day' },
  { seconds: '604800', name: 'week' },
] as const;

/** Asks when the old key or secret should expire. */
export function RollDialog({
  isOpen,
  title,
  kind,
  action,
  onYes,
  onClose,
}: {
  isOpen: boolean;
  title: string;
  kind: 'key' | 'secret';
  action: { isRunning: boolean; error: unknown; reset(): void };
  onYes(overlapSeconds: number): Promise<unknown>;
  onClose(): void;
}) {
  const [seconds, setSeconds] = useState<string>('86400');
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={title}
      yes={t(`roll.${kind}`)}
      isDangerous={seconds === '0'}
      action={action}
      onYes={() => onYes(Number(seconds))}
      onClose={onClose}
    >
      <Radio.Group
        label={t(`roll.${kind}End`)}
        description={t(`roll.${kind}Note`)}
        value={seconds}
        onChange={setSeconds}
      >
        <Stack gap="xs" mt="xs">
          {overlaps.map(({ seconds: value, name }) => (
            <Radio key={name} value={value} label={t(`roll.${name}`)} />
          ))}
        </Stack>
      </Radio.Group>
    </ConfirmDialog>
  );
}
