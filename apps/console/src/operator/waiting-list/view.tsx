import { Stack } from '@mantine/core';
import { Page } from '../../shared/ui/index.ts';
import { Guests } from './guests.tsx';
import { ListState } from './list-state.tsx';

/** The waiting list: whom its contracts must trust, and who is invited past the price. */
export function View() {
  return (
    <Page title="Waiting list" lead="Places that people buy on a chain, and those whom you invite.">
      <Stack gap="xl">
        <ListState />
        <Guests />
      </Stack>
    </Page>
  );
}
