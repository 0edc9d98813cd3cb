import { Button, Code, Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { type ItemOf, useAction, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import {
  CopyText,
  Dialog,
  EmptyState,
  Failure,
  Form,
  Page,
  PagedList,
  Query,
  Row,
  Section,
  Time,
} from '../../shared/ui/index.ts';
import { type EventType, eventTypes } from '../event-types.ts';
import { t } from '../messages/index.ts';
import { pretty, Unread } from '../parts.tsx';
import styles from '../webhooks.module.css';

type CommunityEvent = ItemOf<'GET /latchkey/communities/{communityId}/events'>;

/** The types of events that concern one application or organization, and no community. */
const notOfCommunities = /^(client-app|organization)\./;
const types = (Object.keys(eventTypes) as EventType[]).filter((type) => !notOfCommunities.test(type));

const periods = [
  { value: '1', name: 'hour' },
  { value: '24', name: 'day' },
  { value: '168', name: 'week' },
  { value: '720', name: 'month' },
] as const;

/** What happened in a community, and what of it to send to the webhook of an application. */
export function View() {
  const { appId } = useScreenParams('appId');
  const { data: app, error, refetch } = useOperation('GET /client-apps/{id}', { id: appId });
  const communities = useOperation('GET /latchkey/account/communities', {});
  const [chosen, setChosen] = useState<string>();
  if (app === undefined)
    return <Unread title={t('events.title')} loading={t('app.loading')} error={error} onRetry={() => void refetch()} />;
  return (
    <Page
      title={t('events.title')}
      lead={t('events.lead')}
      crumbs={[
        { to: '/developers', title: t('developers.title') },
        { to: `/developers/apps/${appId}`, title: app.name ?? t('app.title') },
      ]}
    >
      <Query read={communities} loading={t('events.loadingCommunities')}>
        {({ items }) => {
          const communityId = chosen ?? items[0]?.id;
          if (communityId === undefined)
            return <EmptyState title={t('events.noCommunity')}>{t('events.noCommunityHow')}</EmptyState>;
          return (
            <>
              <div className={styles.filters}>
                <Select
                  label={t('events.community')}
                  data={items.map(({ id, name }) => ({ value: id, label: name }))}
                  value={communityId}
                  allowDeselect={false}
                  onChange={(value) => setChosen(value ?? undefined)}
                />
              </div>
              <Events key={communityId} appId={appId} communityId={communityId} />
            </>
          );
        }}
      </Query>
    </Page>
  );
}

function Events({ appId, communityId }: { appId: string; communityId: string }) {
  useLive({ communityId });
  const [type, setType] = useState('all');
  const [opened, setOpened] = useState<CommunityEvent>();
  const pages = usePages('GET /latchkey/communities/{communityId}/events', {
    communityId,
    ...(type !== 'all' && { type: type as (typeof types)[number] }),
  });
  return (
    <>
      <Section title={t('events.replayTitle')} lead={t('events.replayLead')}>
        <ReplayForm appId={appId} communityId={communityId} />
      </Section>
      <Section
        title={t('events.list')}
        actions={
          <div className={styles.filters}>
            <Select
              aria-label={t('events.which')}
              data={[
                { value: 'all', label: t('events.all') },
                ...types.map((one) => ({ value: one, label: t(eventTypes[one]) })),
              ]}
              value={type}
              allowDeselect={false}
              onChange={(value) => setType(value ?? 'all')}
            />
          </div>
        }
      >
        <PagedList
          pages={pages}
          loading={t('events.loading')}
          more={t('events.more')}
          keyOf={({ id }) => id}
          empty={<EmptyState title={t('events.none')}>{t('events.noneHow')}</EmptyState>}
        >
          {(event) => (
            <Row
              title={titleOf(event)}
              note={
                <>
                  <Time at={event.timestamp} />
                  {typeof event.data.userId === 'string' && ` · ${event.data.userId}`}
                </>
              }
              actions={
                <Button size="compact-sm" variant="default" onClick={() => setOpened(event)}>
                  {t('deliveries.details')}
                </Button>
              }
            />
          )}
        </PagedList>
      </Section>
      {opened !== undefined && (
        <EventDialog appId={appId} communityId={communityId} event={opened} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
}

function titleOf({ type }: CommunityEvent): string {
  return type in eventTypes ? t(eventTypes[type as EventType]) : type;
}

function useReplay() {
  return useAction('POST /latchkey/client-apps/{id}/events/replay', {
    changes: ['GET /latchkey/client-apps/{id}/deliveries'],
  });
}

function ReplayForm({ appId, communityId }: { appId: string; communityId: string }) {
  const [hours, setHours] = useState('24');
  const replay = useReplay();
  const since = () => new Date(Date.now() - Number(hours) * 3_600_000).toISOString();
  const { answer } = replay;
  return (
    <>
      <Form
        isInline
        isQuiet
        submit={t('events.send')}
        action={replay}
        onSubmit={() => replay.run({ id: appId, body: { communityId, since: since() } })}
      >
        <Select
          label={t('events.period')}
          data={periods.map(({ value, name }) => ({ value, label: t(`replay.${name}`) }))}
          value={hours}
          allowDeselect={false}
          onChange={(value) => setHours(value ?? '24')}
        />
      </Form>
      {answer !== undefined && replay.error === null && (
        <>
          <p role="status">
            {answer.sent === 0 ? t('events.nothing') : t('events.sent', { count: answer.sent })}
            {answer.hasMore && ` ${t('events.hasMore')}`}
          </p>
          {answer.hasMore && (
            <Button
              variant="default"
              loading={replay.isRunning}
              onClick={() =>
                replay.run({ id: appId, body: { communityId, since: since(), after: answer.lastPosition } })
              }
            >
              {t('events.sendMore')}
            </Button>
          )}
        </>
      )}
    </>
  );
}

/** One event, and a way to send it to the webhook. */
function EventDialog({
  appId,
  communityId,
  event,
  onClose,
}: {
  appId: string;
  communityId: string;
  event: CommunityEvent;
  onClose(): void;
}) {
  const { id, type, timestamp, data } = event;
  const replay = useReplay();
  return (
    <Dialog title={titleOf(event)} size="large" onClose={onClose}>
      <Text size="sm" fw={550}>
        {t('events.id')}
      </Text>
      <CopyText text={id} what={t('events.id')} />
      <Code block className={styles.body}>
        {pretty(JSON.stringify({ type, timestamp, data }))}
      </Code>
      <Failure error={replay.error} />
      <Group justify="flex-end">
        {replay.answer !== undefined && replay.error === null && (
          <span role="status">{t('events.sent', { count: replay.answer.sent })}</span>
        )}
        <Button
          loading={replay.isRunning}
          onClick={() => replay.run({ id: appId, body: { communityId, eventId: id } })}
        >
          {t('events.send')}
        </Button>
      </Group>
    </Dialog>
  );
}
