import { Stack } from '@mantine/core';
import { useLive } from '../../shared/api/index.ts';
import { Page } from '../../shared/ui/index.ts';
import { MasterKeys } from './master-keys.tsx';
import { OperatorKeys } from './operator-keys.tsx';
import { SigningKeys } from './signing-keys.tsx';

export function View() {
  useLive('operator');
  return (
    <Page title="Keys" lead="Who may operate this server, and what it signs and seals with.">
      <Stack gap="xl">
        <OperatorKeys />
        <SigningKeys />
        <MasterKeys />
      </Stack>
    </Page>
  );
}
