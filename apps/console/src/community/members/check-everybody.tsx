import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { IconRefresh } from '../../shared/icons.tsx';
import { ConfirmDialog } from '../../shared/ui/index.ts';

const progress = 'GET /latchkey/communities/{communityId}/role-checks';

/** Has everybody checked anew. */
export function CheckEverybody({ communityId }: { communityId: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const { data } = useOperation(progress, { communityId });
  const check = useAction('POST /latchkey/communities/{communityId}/role-checks', {
    changes: [progress],
    onDone: () => setIsAsking(false),
  });
  return (
    <>
      <Group gap="xs">
        <Button
          leftSection={<IconRefresh size={16} aria-hidden="true" />}
          onClick={() => {
            check.reset();
            setIsAsking(true);
          }}
        >
          Check everybody
        </Button>
        <Text role="status" size="sm" c="dimmed">
          {data !== undefined && formatProgress(data, check.answer !== undefined)}
        </Text>
      </Group>
      <ConfirmDialog
        isOpen={isAsking}
        title="Check every member now?"
        yes="Start the check"
        isRunning={check.isRunning}
        error={check.error}
        onYes={() => check.run({ communityId })}
        onNo={() => setIsAsking(false)}
      >
        <Text size="sm">
          Latchkey reads all wallets again and changes roles by your rules. Large changes wait for your approval under
          Role changes.
        </Text>
      </ConfirmDialog>
    </>
  );
}

function formatProgress({ isListing, waiting, postponed }: Answer<typeof progress>, wasStarted: boolean): string {
  if (isListing) return 'Reading the members …';
  if (waiting > 0) return `${waiting.toLocaleString()} left to check …`;
  if (postponed > 0) return `${postponed.toLocaleString()} could not be read and are checked again later`;
  return wasStarted ? 'Everybody was checked.' : '';
}
