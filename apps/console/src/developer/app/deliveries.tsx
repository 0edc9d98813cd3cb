import { Button, Code, Group, Select, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
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
import { eventTypes } from '../event-types.ts';
import { t } from '../messages/index.ts';
import { pretty } from '../parts.tsx';
import styles from '../webhooks.module.css';

type Delivery = ItemOf<'GET /latchkey/client-apps/{id}/deliveries'>;
type Status = Delivery['status'];

const tones: Readonly<Record<Status, Tone>> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
  disabled: 'plain',
};

const filters = ['all', 'failed', 'pending', 'delivered', 'disabled'] as const;

const periods = [
  { value: '1', name: 'hour' },
  { value: '24', name: 'day' },
  { value: '168', name: 'week' },
  { value: '720', name: 'month' },
] as const;

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
      title={t('deliveries.title')}
      lead={t('deliveries.lead')}
      actions={
        <div className={styles.filters}>
          <Button component={Link} to={`/developers/apps/${appId}/events`} variant="default">
            {t('events.browse')}
          </Button>
          <Select
            aria-label={t('deliveries.which')}
            data={filters.map((filter) => ({ value: filter, label: t(`deliveries.${filter}`) }))}
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
        loading={t('deliveries.loading')}
        more={t('deliveries.more')}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={t(status === 'all' ? 'deliveries.none' : 'deliveries.noneWithStatus')}>
            {t(hasWebhook ? 'deliveries.noneHow' : 'deliveries.noWebhook')}
          </EmptyState>
        }
      >
        {(delivery) => (
          <Row
            title={t(eventTypes[delivery.type])}
            states={
              <State tone={tones[delivery.status]}>
                {t(`deliveries.${delivery.status}`)}
                {delivery.lastStatus !== undefined && ` · ${delivery.lastStatus}`}
              </State>
            }
            note={
              <>
                {t.rich('deliveries.attempts', {
                  time: <Time key="time" at={delivery.createdAt} />,
                  count: delivery.attempts,
                })}
                {delivery.status !== 'delivered' && delivery.lastReason !== undefined && ` · ${delivery.lastReason}`}
              </>
            }
            actions={
              <Button size="compact-sm" variant="default" onClick={() => setOpened(delivery.id)}>
                {t('deliveries.details')}
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
        submit={t('delivery.sendAgain')}
        action={replay}
        onSubmit={() => replay.run({ id: appId, body: { since: since() } })}
      >
        <Select
          label={t('replay.label')}
          data={periods.map(({ value, name }) => ({ value, label: t(`replay.${name}`) }))}
          value={hours}
          allowDeselect={false}
          onChange={(value) => setHours(value ?? '24')}
        />
      </Form>
      {replay.answer !== undefined && replay.error === null && (
        <p role="status">
          {replay.answer.resent === 0 ? t('replay.nothing') : t('replay.resent', { count: replay.answer.resent })}
          {replay.answer.hasMore && ` ${t('replay.more')}`}
        </p>
      )}
    </>
  );
}

const idHeader = 'webhook-id';

/** One delivery: what is sent, every attempt, and a way to send it again. */
function DeliveryDialog({ appId, deliveryId, onClose }: { appId: string; deliveryId: string; onClose(): void }) {
  const input = { id: appId, deliveryId };
  const delivery = useOperation('GET /latchkey/client-apps/{id}/deliveries/{deliveryId}', input);
  const resend = useAction('POST /latchkey/client-apps/{id}/deliveries/{deliveryId}/resend', {
    done: t('delivery.willBeSent'),
    changes: ['GET /latchkey/client-apps/{id}/deliveries', 'GET /latchkey/client-apps/{id}/deliveries/{deliveryId}'],
  });
  return (
    <Dialog title={t('delivery.title')} size="large" onClose={onClose}>
      <Query read={delivery} loading={t('delivery.loading')}>
        {({ eventId, log, body }) => (
          <>
            <Labeled label={idHeader}>
              <CopyText text={eventId} what={idHeader} />
            </Labeled>
            <Labeled label={t('delivery.attempts')}>
              {log.length === 0 ? (
                <Text size="sm">{t('delivery.notTried')}</Text>
              ) : (
                <ul className={styles.attempts}>
                  {log.map(({ attemptedAt, reason, tookMs }) => (
                    <li key={attemptedAt}>
                      {t.rich('delivery.attempt', { time: <Time key="time" at={attemptedAt} />, reason, ms: tookMs })}
                    </li>
                  ))}
                </ul>
              )}
            </Labeled>
            <Labeled label={t('delivery.body')}>
              <Code block className={styles.body}>
                {pretty(body)}
              </Code>
            </Labeled>
            <Failure error={resend.error} />
            <Group justify="flex-end">
              {resend.answer !== undefined && resend.error === null && (
                <span role="status">{t('delivery.beingSent')}</span>
              )}
              <Button loading={resend.isRunning} onClick={() => resend.run(input)}>
                {t('delivery.sendAgain')}
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
