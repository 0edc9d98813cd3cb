import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Answer, type ItemOf, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { ShadowNotice } from '../../shared/shadow-notice.tsx';
import { EmptyState, Failure, Loading, Page, PagedList, Section, State, Time } from '../../shared/ui/index.ts';
import { HealthSection } from './health.tsx';
import styles from './overview.module.css';

export function View() {
  const { communityId } = useScreenParams('communityId');
  const health = useOperation('GET /latchkey/communities/{communityId}/health', { communityId });
  const { isLive } = useLive({ communityId });
  const { name = 'Community', rules = 0 } = health.data ?? {};
  return (
    <Page
      title={name}
      crumbs={[{ title: 'Home', to: '/' }]}
      actions={
        <>
          {!isLive && <State tone="warn">Not live: reconnecting</State>}
          <Button
            variant={rules === 0 ? 'default' : 'filled'}
            renderRoot={(props) => (
              <Link to="/communities/$communityId/rules/new" params={{ communityId }} {...props} />
            )}
          >
            New rule
          </Button>
          {rules === 0 && (
            <Button
              renderRoot={(props) => <Link to="/communities/$communityId/setup" params={{ communityId }} {...props} />}
            >
              Finish setup
            </Button>
          )}
        </>
      }
    >
      {health.isPending && <Loading what="the overview" lines={5} />}
      <ShadowNotice communityId={communityId} />
      <Failure error={health.error} onRetry={() => void health.refetch()} />
      {health.data !== undefined && (
        <>
          <Stats health={health.data} />
          <HealthSection communityId={communityId} health={health.data} />
        </>
      )}
      <Activity communityId={communityId} />
    </Page>
  );
}

type Health = Answer<'GET /latchkey/communities/{communityId}/health'>;

/** How many members there are, and how far they came. */
function Stats({ health }: { health: Health }) {
  const { members, membersWithWallets, holders, rules } = health;
  const stats = [
    { title: 'Members', value: members },
    { title: 'With a wallet', value: membersWithWallets, share: shareOf(membersWithWallets, members) },
    { title: 'With a role from a rule', value: holders, share: shareOf(holders, members) },
    { title: 'Rules', value: rules },
  ];
  return (
    <dl className={styles.stats}>
      {stats.map(({ title, value, share }) => (
        <div key={title} className={styles.stat}>
          <dt>{title}</dt>
          <dd>
            <span className={styles.value}>{value.toLocaleString()}</span>
            {share !== undefined && <span className={styles.share}>{share}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function shareOf(part: number, whole: number): string | undefined {
  return whole === 0 ? undefined : new Intl.NumberFormat(undefined, { style: 'percent' }).format(part / whole);
}

type Entry = ItemOf<'GET /latchkey/communities/{communityId}/activity'>;

/** What happened lately; it grows by itself while roles are written. */
function Activity({ communityId }: { communityId: string }) {
  const pages = usePages('GET /latchkey/communities/{communityId}/activity', { communityId, limit: 20 });
  return (
    <Section title="Activity" lead="Roles that were given and removed, and what admins did.">
      <PagedList
        pages={pages}
        what="activity"
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="Nothing has happened yet">
            Role changes appear here as they are made, once there is a rule.
          </EmptyState>
        }
      >
        {(entry) => <EntryRow communityId={communityId} entry={entry} />}
      </PagedList>
    </Section>
  );
}

function EntryRow({ communityId, entry }: { communityId: string; entry: Entry }) {
  return (
    <div className={styles.entry}>
      <span className={styles.what}>
        <Sentence communityId={communityId} entry={entry} />
      </span>
      <span className={styles.when}>
        <Time at={entry.time} isRelative />
      </span>
    </div>
  );
}

function Sentence({ communityId, entry }: { communityId: string; entry: Entry }) {
  const { kind, userId, userName, roleName = 'a role', meaning, changeSetId } = entry;
  if (kind === 'admin-action')
    return (
      <>
        <strong>{userId === undefined ? 'The operator' : (userName ?? userId.split('#').at(-1))}</strong>:{' '}
        {meaning ?? entry.action}
      </>
    );
  const who =
    userId === undefined ? (
      'A member'
    ) : (
      <Link to="/communities/$communityId/members/$userId" params={{ communityId, userId }}>
        {userName ?? 'A member'}
      </Link>
    );
  const change = kind === 'role-given' ? 'got' : 'lost';
  return (
    <>
      {who} {change} <strong>{roleName}</strong>
      {changeSetId !== undefined && (
        <>
          {' · '}
          <Link to="/communities/$communityId/role-changes/$changeSetId" params={{ communityId, changeSetId }}>
            why
          </Link>
        </>
      )}
    </>
  );
}
