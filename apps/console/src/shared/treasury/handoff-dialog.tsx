import { Button, Group, Modal, Select, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction, useOperation } from '../api/index.ts';
import { Failure } from '../ui/index.ts';
import { Approve } from './approve.tsx';
import styles from './treasury.module.css';
import type { Treasury } from './types.ts';

/** Makes one of the owner's linked wallets the owner of the Safe, for good. */
export function HandoffDialog({
  isOpen,
  treasury: { address },
  onClose,
}: {
  isOpen: boolean;
  treasury: Treasury;
  onClose(): void;
}) {
  const wallets = useOperation('GET /latchkey/account/wallets', {}, { enabled: isOpen });
  const [newOwner, setNewOwner] = useState<string | null>(null);
  const propose = useAction('POST /latchkey/treasuries/{address}/handoff');
  const own = (wallets.data ?? []).filter(({ accountId }) => accountId.startsWith('evm:'));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (newOwner !== null) propose.run({ address, body: { newOwner } });
  };
  return (
    <Modal opened={isOpen} onClose={onClose} title="Hand the wallet over" data-dialog-open={isOpen || undefined}>
      {propose.answer !== undefined ? (
        <Approve
          address={address}
          action={propose.answer}
          yes="Approve and hand over"
          onBack={propose.reset}
          onDone={() => {
            propose.reset();
            onClose();
          }}
        />
      ) : (
        <form onSubmit={submit}>
          <Stack gap="md">
            <p className={styles.note}>
              The wallet you choose becomes the only owner of the Safe. You then use it with your own tools, and this
              server can never move what it holds again.
            </p>
            <Select
              label="New owner"
              placeholder={wallets.isLoading ? 'Loading your wallets …' : 'One of your linked wallets'}
              nothingFoundMessage="Link an Ethereum wallet under My account first."
              data={own.map((wallet) => wallet.address)}
              value={newOwner}
              onChange={setNewOwner}
              description="Only wallets that are linked to your account, so that a typing mistake cannot lose it."
            />
            <Failure error={wallets.error ?? propose.error} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" color="red" loading={propose.isRunning} disabled={newOwner === null}>
                Review handoff
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
