import { Button, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction, usePages } from '../../shared/api/index.ts';
import { EmptyState, Failure, PagedList, Row, Section, Time } from '../../shared/ui/index.ts';
import { FilterBar } from '../rows.tsx';

const list = 'GET /latchkey/operator/waiting-list/guests' as const;

export function Guests() {
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
