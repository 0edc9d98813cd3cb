import { Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { ConfirmDialog } from '../../shared/ui/index.ts';

/** Asks before a page with unsaved changes is left. */
export function UnsavedGuard({ hasUnsaved }: { hasUnsaved: RefObject<boolean> }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => hasUnsaved.current,
    enableBeforeUnload: () => hasUnsaved.current,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      isOpen={status === 'blocked'}
      title="Leave without saving?"
      yes="Leave without saving"
      isDangerous
      onYes={() => proceed?.()}
      onNo={() => reset?.()}
    >
      <Text>Your changes of this rule are not saved.</Text>
    </ConfirmDialog>
  );
}
