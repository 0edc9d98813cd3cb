import { Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../shared/ui/index.ts';
import { overlaps } from './types.ts';

/** Asks when the old key or secret is to end. */
export function RollDialog({
  isOpen,
  title,
  what,
  isRunning,
  error,
  onYes,
  onNo,
}: {
  isOpen: boolean;
  title: string;
  what: 'key' | 'secret';
  isRunning: boolean;
  error: unknown;
  onYes(overlapSeconds: number): void;
  onNo(): void;
}) {
  const [seconds, setSeconds] = useState<string>('86400');
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={title}
      yes={`Replace ${what}`}
      isDangerous={seconds === '0'}
      isRunning={isRunning}
      error={error}
      onYes={() => onYes(Number(seconds))}
      onNo={onNo}
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
