import { Button } from '@mantine/core';
import { EmptyState, Page } from '../shared/ui/index.ts';

export function NotFound() {
  return (
    <Page title="Page not found">
      <EmptyState
        title="Nothing is at this address"
        action={
          <Button component="a" href="/console" variant="default">
            Go to the start
          </Button>
        }
      >
        The link may be old, or a letter may be missing.
      </EmptyState>
    </Page>
  );
}
