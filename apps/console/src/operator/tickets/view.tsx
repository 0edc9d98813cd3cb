import { Accordion, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type ItemOf, useAction, usePages } from '../../shared/api/index.ts';
import { EmptyState, Failure, Loading, More, Page, State, Time } from '../../shared/ui/index.ts';
import styles from '../operator.module.css';

const list = 'GET /latchkey/operator/tickets' as const;
const folders: readonly { value: Folder; label: string }[] = [
  { value: 'open', label: 'Open' },
  { value: 'done', label: 'Done' },
  { value: 'spam', label: 'Spam' },
  { value: 'deleted', label: 'Deleted' },
];

/** Support tickets that this server stores. */
export function View() {
  const [folder, setFolder] = useState<Folder>('open');
  const tickets = usePages(list, { folder });
  const decide = useAction('POST /latchkey/operator/tickets/{id}/decision', {
    done: 'Ticket updated.',
    changes: [list],
  });
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

type Ticket = ItemOf<'GET /latchkey/operator/tickets'>;
type Folder = 'open' | 'done' | 'spam' | 'deleted';
type Decision = 'open' | 'resolve' | 'close' | 'spam' | 'delete';

const choices: Readonly<Record<Folder, readonly (readonly [Decision, string])[]>> = {
  open: [
    ['resolve', 'Resolve'],
    ['close', 'Close'],
    ['spam', 'Mark as spam'],
    ['delete', 'Delete'],
  ],
  done: [['open', 'Open again']],
  spam: [['open', 'Not spam']],
  deleted: [['open', 'Restore']],
};
const states = {
  open: ['warn', 'Open'],
  pending: ['warn', 'Pending'],
  resolved: ['good', 'Resolved'],
  closed: ['plain', 'Closed'],
} as const;

function TicketItem({
  ticket,
  folder,
  isBusy,
  onDecide,
}: {
  ticket: Ticket;
  folder: Folder;
  isBusy: boolean;
  onDecide(decision: Decision): void;
}) {
  const [tone, word] = states[ticket.status];
  return (
    <Accordion.Item value={String(ticket.id)}>
      <Accordion.Control>
        {ticket.subject === '' ? 'No subject' : ticket.subject} <State tone={tone}>{word}</State>
        <Text size="sm" c="dimmed">
          {ticket.email}, <Time at={ticket.createdTime} isRelative />
        </Text>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="sm">
          <div className={styles.text}>{ticket.description}</div>
          <Text size="sm" c="dimmed">
            About {ticket.communityId}, opened by {ticket.createdById}
          </Text>
          <Group gap="xs">
            {choices[folder].map(([decision, words]) => (
              <Button
                key={decision}
                variant="default"
                size="compact-sm"
                disabled={isBusy}
                onClick={() => onDecide(decision)}
              >
                {words}
              </Button>
            ))}
          </Group>
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
}
