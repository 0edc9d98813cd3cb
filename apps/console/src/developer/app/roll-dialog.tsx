import { Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../shared/ui/index.ts';

/** How long a replaced key or secret stays valid. */
const overlaps = [
  { value: '0', label: 'Now' },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 1 day' },
  { value: '604800', label: 'In 7 days' },
] as const;

/** Asks when the old key or secret should expire. */
export function RollDialog({
  isOpen,
  title,
  what,
  action,
  onYes,
  onClose,
}: {
  isOpen: boolean;
  title: string;
  what: 'key' | 'secret';
  action: { isRunning: boolean; error: unknown; reset(): void };
  onYes(overlapSeconds: number): Promise<unknown>;
  onClose(): void;
}) {
  const [seconds, setSeconds] = useState<string>('86400');
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={title}
      yes={`Replace ${what}`}
      isDangerous={seconds === '0'}
      action={action}
      onYes={() => onYes(Number(seconds))}
      onClose={onClose}
    >
      <Radio.Group
        label={`When should the old ${what} end?`}
        description={`Until then both work. After a leak, end it now. You cannot replace the ${what} again before the old one has ended.`}
        value={seconds}
        onChange={setSeconds}
      >
        <Stack gap="xs" mt="xs">
          {overlaps.map((overlap) => (
            <Radio key={overlap.value} {...overlap} />
          ))}
        </Stack>
      </Radio.Group>
    </ConfirmDialog>
  );
}
