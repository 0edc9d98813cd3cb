import { Accordion, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type ItemOf, useAction, usePages } from '../../shared/api/index.ts';
import { EmptyState, Failure, Loading, More, Page, State, Time } from '../../shared/ui/index.ts';
import { type MessageId, t } from '../messages/index.ts';
import styles from '../operator.module.css';

const list = 'GET /latchkey/operator/tickets' as const;
const folders = ['open', 'done', 'spam', 'deleted'] as const;
type Folder = (typeof folders)[number];

/** Support tickets that this server stores. */
export function View() {
  const [folder, setFolder] = useState<Folder>('open');
  const tickets = usePages(list, { folder });
  const decide = useAction('POST /latchkey/operator/tickets/{id}/decision', {
    done: t('tickets.updated'),
    changes: [list],
  });
  return (
    <Page title={t('tickets.title')} lead={t('tickets.lead')}>
      <Stack gap="md">
        <Group>
          <SegmentedControl
            aria-label={t('tickets.which')}
            value={folder}
            onChange={setFolder}
            data={folders.map((value) => ({ value, label: t(`ticketFolder.${value}`) }))}
          />
        </Group>
        <Failure error={decide.error} />
        {tickets.isLoading && <Loading text={t('tickets.loading')} />}
        {!tickets.isLoading && tickets.items.length === 0 && tickets.error === null && (
          <EmptyState title={t(folder === 'open' ? 'tickets.noneOpenTitle' : 'tickets.noneTitle')}>
            {t('tickets.none')}
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
        <More pages={tickets} text={t('tickets.more')} />
      </Stack>
    </Page>
  );
}

type Ticket = ItemOf<'GET /latchkey/operator/tickets'>;
type Decision = 'open' | 'resolve' | 'close' | 'spam' | 'delete';

const choices: Readonly<Record<Folder, readonly (readonly [Decision, MessageId & `ticketAction.${string}`])[]>> = {
  open: [
    ['resolve', 'ticketAction.resolve'],
    ['close', 'ticketAction.close'],
    ['spam', 'ticketAction.spam'],
    ['delete', 'ticketAction.delete'],
  ],
  done: [['open', 'ticketAction.reopen']],
  spam: [['open', 'ticketAction.notSpam']],
  deleted: [['open', 'ticketAction.restore']],
};
const tones = { open: 'warn', pending: 'warn', resolved: 'good', closed: 'plain' } as const;

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
  return (
    <Accordion.Item value={String(ticket.id)}>
      <Accordion.Control>
        {ticket.subject === '' ? t('tickets.noSubject') : ticket.subject}{' '}
        <State tone={tones[ticket.status]}>{t(`tickets.${ticket.status}`)}</State>
        <Text size="sm" c="dimmed">
          {ticket.email}, <Time at={ticket.createdTime} isRelative />
        </Text>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="sm">
          <div className={styles.text}>{ticket.description}</div>
          <Text size="sm" c="dimmed">
            {t('tickets.about', { communityId: ticket.communityId, userId: ticket.createdById })}
          </Text>
          <Group gap="xs">
            {choices[folder].map(([decision, text]) => (
              <Button
                key={decision}
                variant="default"
                size="compact-sm"
                disabled={isBusy}
                onClick={() => onDecide(decision)}
              >
                {t(text)}
              </Button>
            ))}
          </Group>
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
}
