import { Button, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction, useOperation, usePages } from '../../shared/api/index.ts';
import {
  ConfirmDialog,
  CopyText,
  EmptyState,
  Failure,
  Page,
  PagedList,
  Row,
  Section,
  State,
  Time,
} from '../../shared/ui/index.ts';
import { Answered } from '../answered.tsx';
import { FilterBar } from '../rows.tsx';

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

const list = 'GET /latchkey/operator/waiting-list/guests' as const;

function Guests() {
  const [userId, setUserId] = useState('');
  const guests = usePages(list, {});
  const invite = useAction('PUT /latchkey/operator/waiting-list/guests/{userId}', {
    changes: [list],
    onDone: () => setUserId(''),
  });
  const remove = useAction('DELETE /latchkey/operator/waiting-list/guests/{userId}', { changes: [list] });
  const send = (event: FormEvent) => {
    event.preventDefault();
    invite.run({ userId: userId.trim() });
  };
  return (
    <Section title="Invited guests" lead="They get a place without paying.">
      <Stack gap="md">
        <form onSubmit={send}>
          <FilterBar>
            <TextInput
              label="Person"
              placeholder="DIS#USER#123"
              required
              maxLength={128}
              value={userId}
              onChange={(event) => setUserId(event.currentTarget.value)}
            />
            <Button type="submit" loading={invite.isRunning} disabled={userId.trim() === ''}>
              Invite
            </Button>
          </FilterBar>
        </form>
        <Failure error={invite.error ?? remove.error} />
        <PagedList
          pages={guests}
          what="guests"
          keyOf={(guest) => guest.userId}
          empty={<EmptyState title="Nobody is invited yet">Invite somebody by their id.</EmptyState>}
        >
          {(guest) => (
            <Row
              title={guest.userId}
              note={
                <>
                  Invited <Time at={guest.invitedTime} />
                </>
              }
              actions={
                <Button
                  variant="default"
                  size="compact-sm"
                  disabled={remove.isRunning}
                  onClick={() => remove.run({ userId: guest.userId })}
                >
                  Revoke invitation
                </Button>
              }
            />
          )}
        </PagedList>
      </Stack>
    </Section>
  );
}

const read = 'GET /latchkey/operator/waiting-list' as const;

function ListState() {
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
