import { Button, Group, Loader, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../messages/index.ts';

/** Shows what is awaited. It is detected automatically; a button checks at once. */
export function Waiting({
  isChecking,
  onCheck,
  children,
}: {
  isChecking: boolean;
  onCheck(): void;
  children: ReactNode;
}) {
  return (
    <Group gap="sm" role="status">
      <Loader size="sm" type="dots" aria-hidden="true" />
      <Text c="dimmed">{children}</Text>
      <Button variant="default" size="compact-sm" loading={isChecking} onClick={onCheck}>
        {t('new.checkNow')}
      </Button>
    </Group>
  );
}
