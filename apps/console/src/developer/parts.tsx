import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type ItemOf, useOperation } from '../shared/api/index.ts';
import {
  Failure,
  Loading,
  Page,
  Picture,
  QueryList,
  Row,
  Section,
  State,
  Time,
  type Tone,
} from '../shared/ui/index.ts';
import { type MessageId, t } from './messages/index.ts';

type Status = 'PENDING' | 'APPROVED' | 'REJECTED' | 'REVOKED' | 'LISTED';

const statuses = {
  PENDING: { tone: 'warn', says: 'status.pending' },
  APPROVED: { tone: 'good', says: 'status.approved' },
  REJECTED: { tone: 'bad', says: 'status.rejected' },
  REVOKED: { tone: 'bad', says: 'status.revoked' },
  LISTED: { tone: 'good', says: 'status.listed' },
} as const satisfies Readonly<Record<Status, { tone: Tone; says: MessageId }>>;

/** The status of an application or a mini-app in the operator's review. */
export function ReviewState({ status }: { status: Status }) {
  const { tone, says } = statuses[status];
  return <State tone={tone}>{t(says)}</State>;
}

export function AppRow({ app }: { app: ItemOf<'GET /client-apps'> }) {
  const name = app.name ?? t('apps.unnamed');
  return (
    <Row
      picture={<Picture name={name} />}
      title={
        <Link to="/developers/apps/$appId" params={{ appId: app.id ?? '' }} title={name}>
          {name}
        </Link>
      }
      states={<ReviewState status={app.status} />}
      note={t.rich('apps.typeSince', {
        type: t(`appType.${app.clientType ?? 'confidential'}`),
        time: <Time key="time" at={app.createdTime ?? ''} />,
      })}
    />
  );
}

/** The mini-apps of an organization. */
export function MiniAppList({ orgId, empty }: { orgId: string; empty: ReactNode }) {
  const apps = useOperation('GET /miniapps/dev-orgs/{organizationId}', { organizationId: orgId });
  return (
    <QueryList read={apps} loading={t('miniApps.loading')} keyOf={({ id = '' }) => id} empty={empty}>
      {({ id = '', name, description, status }) => (
        <Row
          picture={<Picture name={name} />}
          title={
            <Link to="/developers/mini-apps/$miniAppId" params={{ miniAppId: id }} title={name}>
              {name}
            </Link>
          }
          states={<ReviewState status={status} />}
          note={description.slice(0, 160)}
        />
      )}
    </QueryList>
  );
}

/** What happened to an application or a mini-app, newest first. */
export function ActionHistory({
  actions,
  words,
}: {
  actions: readonly { action: string; timestamp: string; notes?: string | undefined }[];
  words: Readonly<Record<string, MessageId & `${'appAction' | 'miniAppAction'}.${string}`>>;
}) {
  const titleOf = (action: string) => {
    const title = words[action];
    return title === undefined ? action : t(title);
  };
  return (
    <Section title={t('common.history')}>
      {actions.toReversed().map(({ action, timestamp, notes }) => (
        <Row
          key={`${timestamp} ${action}`}
          title={titleOf(action)}
          note={
            <>
              <Time at={timestamp} />
              {notes !== undefined && ` · ${notes}`}
            </>
          }
        />
      ))}
    </Section>
  );
}

/** A screen whose subject is loading or cannot be read: it still has its title and breadcrumbs. */
export function Unread({
  title,
  loading,
  error,
  onRetry,
}: {
  title: string;
  loading: string;
  error: unknown;
  onRetry(): void;
}) {
  return (
    <Page title={title} crumbs={[{ to: '/developers', title: t('developers.title') }]}>
      {error === null ? <Loading text={loading} /> : <Failure error={error} onRetry={onRetry} />}
    </Page>
  );
}

/** Formats JSON for reading; returns anything else unchanged. */
export function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
