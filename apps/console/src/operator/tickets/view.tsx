import { Accordion, Group, SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { useAction, usePages } from '../../shared/api/index.ts';
import { EmptyState, Failure, Loading, More, Page } from '../../shared/ui/index.ts';
import { type Folder, TicketItem } from './ticket-item.tsx';

const list = 'GET /latchkey/operator/tickets' as const;
const folders: readonly { value: Folder; label: string }[] = [
  { value: 'open', label: 'Open' },
  { value: 'done', label: 'Done' },
  { value: 'spam', label: 'Spam' },
  { value: 'deleted', label: 'Deleted' },
];

/** Support tickets that this server keeps. */
export function View() {
  const [folder, setFolder] = useState<Folder>('open');
  const tickets = usePages(list, { folder });
  const decide = useAction('POST /latchkey/operator/tickets/{id}/decision', { changes: [list] });
  return (
    <Page title="Support tickets" lead="Answer people by mail; decide here what becomes of the ticket.">
      <Stack gap="md">
        <Group>
          <SegmentedControl
            aria-label="Which tickets"
            value={folder}
            onChange={(chosen) => setFolder(folders.find(({ value }) => value === chosen)?.value ?? 'open')}
            data={[...folders]}
          />
        </Group>
        <Failure error={decide.error} />
        {tickets.isLoading && <Loading what="tickets" />}
        {!tickets.isLoading && tickets.items.length === 0 && tickets.error === null && (
          <EmptyState title={folder === 'open' ? 'No open ticket' : 'No ticket here'}>
            Tickets appear here when people ask for support. If Freshdesk is configured, read them there.
          </EmptyState>
        )}
        {tickets.items.length > 0 && (
          <Accordion variant="contained" order={2}>
            {tickets.items.map((ticket) => (
              <TicketItem
                key={ticket.id}
                ticket={ticket}
                folder={folder}
                isBusy={decide.isRunning}
                onDecide={(decision) => decide.run({ id: ticket.id, body: { decision } })}
              />
            ))}
          </Accordion>
        )}
        <More pages={tickets} what="tickets" />
      </Stack>
    </Page>
  );
}
