import { Button, Code, Group, Select, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type ItemOf, useAction, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import {
  CopyText,
  Dialog,
  EmptyState,
  Failure,
  Form,
  PagedList,
  Query,
  Row,
  Section,
  State,
  Time,
  type Tone,
} from '../../shared/ui/index.ts';
import { counted } from '../../shared/words.ts';
import { pretty } from '../parts.tsx';
import { eventTypes } from './event-types.ts';
import styles from './webhooks.module.css';

type Delivery = ItemOf<'GET /latchkey/client-apps/{id}/deliveries'>;
type Status = Delivery['status'];

const deliveryStates: Readonly<Record<Status, { tone: Tone; says: string }>> = {
  pending: { tone: 'warn', says: 'Trying' },
  delivered: { tone: 'good', says: 'Delivered' },
  failed: { tone: 'bad', says: 'Failed' },
  disabled: { tone: 'plain', says: 'Not sent' },
};

const filters = [
  { value: 'all', label: 'All deliveries' },
  { value: 'failed', label: 'Failed' },
  { value: 'pending', label: 'Trying' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'disabled', label: 'Not sent' },
];

const periods = [
  { value: '1', label: 'the last hour' },
  { value: '24', label: 'the last day' },
  { value: '168', label: 'the last 7 days' },
  { value: '720', label: 'the last 30 days' },
];

export function Deliveries({ appId, hasWebhook }: { appId: string; hasWebhook: boolean }) {
  useLive('account');
  const [status, setStatus] = useState('all');
  const [opened, setOpened] = useState<string>();
  const pages = usePages('GET /latchkey/client-apps/{id}/deliveries', {
    id: appId,
    ...(status !== 'all' && { status: status as Status }),
  });
  return (
    <Section
      title="Deliveries"
      lead="Every event of the last 30 days. A failed one is tried ten times in three days."
      actions={
        <div className={styles.filters}>
          <Select
            aria-label="Which deliveries"
            data={filters}
            value={status}
            allowDeselect={false}
            onChange={(value) => setStatus(value ?? 'all')}
          />
        </div>
      }
    >
      {hasWebhook && <Replay appId={appId} />}
      <PagedList
        pages={pages}
        what="deliveries"
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={status === 'all' ? 'No deliveries yet' : 'No deliveries with this status'}>
            {hasWebhook ? 'Send a test event above to see that your receiver works.' : 'Add a webhook above first.'}
          </EmptyState>
        }
      >
        {(delivery) => (
          <Row
            title={eventTypes[delivery.type]}
            states={
              <State tone={deliveryStates[delivery.status].tone}>
                {deliveryStates[delivery.status].says}
                {delivery.lastStatus !== undefined && ` · ${delivery.lastStatus}`}
              </State>
            }
            note={
              <>
                <Time at={delivery.createdAt} /> · {counted(delivery.attempts, 'attempt')}
                {delivery.status !== 'delivered' && delivery.lastReason !== undefined && ` · ${delivery.lastReason}`}
              </>
            }
            actions={
              <Button size="compact-sm" variant="default" onClick={() => setOpened(delivery.id)}>
                Details
              </Button>
            }
          />
        )}
      </PagedList>
      {opened !== undefined && (
        <DeliveryDialog appId={appId} deliveryId={opened} onClose={() => setOpened(undefined)} />
      )}
    </Section>
  );
}

function Replay({ appId }: { appId: string }) {
  const [hours, setHours] = useState('24');
  const replay = useAction('POST /latchkey/client-apps/{id}/deliveries/replay', {
    changes: ['GET /latchkey/client-apps/{id}/deliveries'],
  });
  const since = () => new Date(Date.now() - Number(hours) * 3_600_000).toISOString();
  return (
    <>
      <Form
        isInline
        isQuiet
        submit="Send again"
        action={replay}
        onSubmit={() => replay.run({ id: appId, body: { since: since() } })}
      >
        <Select
          label="Send failed events again"
          data={periods}
          value={hours}
          allowDeselect={false}
          onChange={(value) => setHours(value ?? '24')}
        />
      </Form>
      {replay.answer !== undefined && replay.error === null && (
        <p role="status">
          {replay.answer.resent === 0
            ? 'Nothing failed in that time.'
            : `${counted(replay.answer.resent, 'event is', 'events are')} being sent again.`}
          {replay.answer.hasMore && ' There are more: send again once these have arrived.'}
        </p>
      )}
    </>
  );
}

/** One delivery: what is sent, every attempt, and a way to send it again. */
function DeliveryDialog({ appId, deliveryId, onClose }: { appId: string; deliveryId: string; onClose(): void }) {
  const input = { id: appId, deliveryId };
  const delivery = useOperation('GET /latchkey/client-apps/{id}/deliveries/{deliveryId}', input);
  const resend = useAction('POST /latchkey/client-apps/{id}/deliveries/{deliveryId}/resend', {
    done: 'The delivery will be sent again.',
    changes: ['GET /latchkey/client-apps/{id}/deliveries', 'GET /latchkey/client-apps/{id}/deliveries/{deliveryId}'],
  });
  return (
    <Dialog title="Delivery" size="large" onClose={onClose}>
      <Query read={delivery} what="the delivery">
        {({ eventId, log, body }) => (
          <>
            <Labeled label="webhook-id">
              <CopyText text={eventId} what="webhook-id" />
            </Labeled>
            <Labeled label="Attempts">
              {log.length === 0 ? (
                <Text size="sm">Not tried yet.</Text>
              ) : (
                <ul className={styles.attempts}>
                  {log.map(({ attemptedAt, reason, tookMs }) => (
                    <li key={attemptedAt}>
                      <Time at={attemptedAt} /> · {reason} · {tookMs} ms
                    </li>
                  ))}
                </ul>
              )}
            </Labeled>
            <Labeled label="Body">
              <Code block className={styles.body}>
                {pretty(body)}
              </Code>
            </Labeled>
            <Failure error={resend.error} />
            <Group justify="flex-end">
              {resend.answer !== undefined && resend.error === null && (
                <span role="status">It is being sent again.</span>
              )}
              <Button loading={resend.isRunning} onClick={() => resend.run(input)}>
                Send again
              </Button>
            </Group>
          </>
        )}
      </Query>
    </Dialog>
  );
}

function Labeled({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" fw={550}>
        {label}
      </Text>
      {children}
    </div>
  );
}
