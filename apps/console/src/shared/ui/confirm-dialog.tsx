import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Failure } from './failure.tsx';

interface Question {
  isOpen: boolean;
  title: string;
  /** What happens, in the words of the button: "Revoke key", never "OK". */
  yes: string;
  isDangerous?: boolean;
  isRunning?: boolean;
  error?: unknown;
  onYes(): void;
  onNo(): void;
  children?: ReactNode;
}

/** Asks before something is done that cannot simply be undone. It stays open while that is being done, and if it fails. */
export function ConfirmDialog({
  isOpen,
  title,
  yes,
  isDangerous = false,
  isRunning = false,
  error,
  onYes,
  onNo,
  children,
}: Question) {
  return (
    <Modal opened={isOpen} onClose={onNo} title={title} data-dialog-open={isOpen || undefined}>
      <Stack gap="md">
        {children}
        <Failure error={error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onNo}>
            Cancel
          </Button>
          <Button color={isDangerous ? 'red' : 'green'} loading={isRunning} onClick={onYes}>
            {yes}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
