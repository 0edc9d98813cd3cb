import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmDialog, CopyText, EmptyState, Section, State } from '../../shared/ui/index.ts';
import { Answered } from '../answered.tsx';

const read = 'GET /latchkey/operator/waiting-list' as const;

export function ListState() {
  const [isReplacing, setIsReplacing] = useState(false);
  const list = useOperation(read, {});
  const replace = useAction('POST /latchkey/operator/waiting-list/signer', {
    changes: [read],
    onDone: () => setIsReplacing(false),
  });
  return (
    <Answered read={list} what="the waiting list">
      {({ isOpen, priceWei, signer, contracts, members }) =>
        isOpen ? (
          <Section
            title="The list"
            actions={
              <Button variant="default" onClick={() => setIsReplacing(true)}>
                Replace signer
              </Button>
            }
          >
            <Stack gap="xs">
              <Text component="div">
                <State tone="good">Open</State> {members} {members === 1 ? 'person is' : 'people are'} on the list. A
                place costs {priceWei} wei.
              </Text>
              {signer !== undefined && (
                <Text component="div">
                  Signer <CopyText text={signer} what="address of the signer" />
                </Text>
              )}
              {contracts.map((contract) => (
                <Text key={contract} size="sm" c="dimmed">
                  Contract on chain {contract}
                </Text>
              ))}
            </Stack>
            <ConfirmDialog
              isOpen={isReplacing}
              title="Replace the signer?"
              yes="Replace signer"
              isDangerous
              isRunning={replace.isRunning}
              error={replace.error}
              onYes={() => replace.run({})}
              onNo={() => setIsReplacing(false)}
            >
              <Text>
                Contracts refuse new quotes until you have called setSigner of each with the new address. Do this only
                if the key may be known to others.
              </Text>
            </ConfirmDialog>
          </Section>
        ) : (
          <EmptyState title="There is no waiting list">Set LATCHKEY_WAITING_LIST_CONTRACTS to open one.</EmptyState>
        )
      }
    </Answered>
  );
}
