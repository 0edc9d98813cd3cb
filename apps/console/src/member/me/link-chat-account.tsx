import { Button, Group, Modal, Stack } from '@mantine/core';
import { platformName } from '../../parts/names.ts';

/** How another chat account is linked: by proving the same wallet there. */
export function LinkChatAccount({ platform, onClose }: { platform: string | undefined; onClose(): void }) {
  const title = platformName(platform ?? '');
  return (
    <Modal
      opened={platform !== undefined}
      onClose={onClose}
      title={`Link a ${title} account`}
      data-dialog-open={platform !== undefined || undefined}
    >
      <Stack gap="md">
        <p>
          Sign in with {title} and link a wallet that is linked here too. The wallet then counts for your roles in both
          chats, and both accounts are listed here.
        </p>
        <p>In one community a wallet counts for one account only. You stay signed in here.</p>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button component="a" href={`/login/connect/with/${platform}`}>
            Sign in with {title}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
