import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useAction, useOperation, usePages } from '../../shared/api/index.ts';
import {
  ConfirmButton,
  CopyText,
  EmptyState,
  Form,
  Page,
  PagedList,
  Query,
  Row,
  Section,
  State,
  Time,
  useForm,
} from '../../shared/ui/index.ts';
import { counted, formatUnits } from '../../shared/words.ts';

/** The waiting list: the signer that its contracts must trust, and who is invited without paying. */
export function View() {
  return (
    <Page title="Waiting list" lead="Places that users buy on-chain, and the users you invite.">
      <Stack gap="xl">
        <ListState />
        <Guests />
      </Stack>
    </Page>
  );
}

const list = 'GET /latchkey/operator/waiting-list/guests' as const;

function Guests() {
  const guests = usePages(list, {});
  const invite = useAction('PUT /latchkey/operator/waiting-list/guests/{userId}', {
    done: 'Person invited.',
    changes: [list],
    onDone: () => form.reset(),
  });
  const remove = useAction('DELETE /latchkey/operator/waiting-list/guests/{userId}', {
    done: 'Invitation removed.',
    changes: [list],
  });
  const form = useForm({ userId: '' }, invite.error);
  const userId = form.values.userId.trim();
  return (
    <Section title="Invited guests" lead="They get a place without paying.">
      <Stack gap="md">
        <Form
          isInline
          submit="Invite"
          canSubmit={userId !== ''}
          action={{ ...invite, error: invite.error ?? remove.error }}
          onSubmit={() => invite.run({ userId })}
        >
          <TextInput label="Person" placeholder="DIS#USER#123" required maxLength={128} {...form.text('userId')} />
        </Form>
        <PagedList
          pages={guests}
          what="guests"
          keyOf={(guest) => guest.userId}
          empty={<EmptyState title="No invitations yet">Invite a person by their ID.</EmptyState>}
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
  const list = useOperation(read, {});
  const replace = useAction('POST /latchkey/operator/waiting-list/signer', { changes: [read] });
  return (
    <Query read={list} what="the waiting list">
      {({ isOpen, priceWei, signer, contracts, members }) =>
        isOpen ? (
          <Section
            title="The list"
            actions={
              <ConfirmButton
                label="Replace signer"
                title="Replace the signer?"
                yes="Replace signer"
                isDangerous
                action={replace}
                onYes={() => replace.runAsync({})}
              >
                <Text>
                  Contracts refuse new quotes until you have called setSigner of each with the new address. Do this only
                  if the key may be compromised.
                </Text>
              </ConfirmButton>
            }
          >
            <Stack gap="xs">
              <Text component="div">
                <State tone="good">Open</State> {counted(members, 'person is', 'people are')} on the list. A place costs{' '}
                {formatUnits(priceWei ?? '0', 0)} wei.
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
          </Section>
        ) : (
          <EmptyState title="There is no waiting list">Set LATCHKEY_WAITING_LIST_CONTRACTS to open one.</EmptyState>
        )
      }
    </Query>
  );
}
