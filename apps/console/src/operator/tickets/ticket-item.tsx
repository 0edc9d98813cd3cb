import { Accordion, Button, Group, Stack, Text } from '@mantine/core';
import type { ItemOf } from '../../shared/api/index.ts';
import { State, Time } from '../../shared/ui/index.ts';
import styles from '../rows.module.css';

type Ticket = ItemOf<'GET /latchkey/operator/tickets'>;
export type Folder = 'open' | 'done' | 'spam' | 'deleted';
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

export function TicketItem({
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
