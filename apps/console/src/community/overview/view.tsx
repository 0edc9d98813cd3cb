import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Answer, type ItemOf, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { ShadowNotice } from '../../shared/shadow-notice.tsx';
import { EmptyState, Page, PagedList, Query, Section, State, Time, type Tone } from '../../shared/ui/index.ts';
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
      <ShadowNotice communityId={communityId} />
      <Query read={health} what="the overview" lines={5}>
        {(data) => (
          <>
            <Stats health={data} />
            <HealthSection communityId={communityId} health={data} />
          </>
        )}
      </Query>
      <Activity communityId={communityId} />
    </Page>
  );
}

type Health = Answer<'GET /latchkey/communities/{communityId}/health'>;

type Chain = Health['chains'][number];

/** At one look: is everything well, and where to go if not. */
function HealthSection({ communityId, health }: { communityId: string; health: Health }) {
  const params = { communityId };
  const { heldChangeSets, blockedRoles } = health;
  return (
    <Section title="Health">
      <dl className={styles.health}>
        <Line title="Bot" state={botState(health)}>
          {health.setupProblems.map((problem) => (
            <span key={problem}>{problem}</span>
          ))}
          <Link to="/communities/$communityId/setup" params={params}>
            Check the setup
          </Link>
        </Line>
        <Line title="Re-check of all members" state={checkState(health)}>
          {health.lastCheckTime !== undefined && (
            <span>
              Last <Time at={health.lastCheckTime} isRelative />
              {health.nextCheckTime !== undefined && (
                <>
                  , next <Time at={health.nextCheckTime} isRelative />
                </>
              )}
            </span>
          )}
          {health.isMemberListComplete === false && (
            <span>The platform did not show every member. Those who are missing keep their roles.</span>
          )}
        </Line>
        <Line
          title="Role changes to approve"
          state={heldChangeSets === 0 ? { tone: 'good', text: 'None' } : { tone: 'warn', text: String(heldChangeSets) }}
        >
          {heldChangeSets > 0 && (
            <Link to="/communities/$communityId/role-changes" params={params}>
              Review them
            </Link>
          )}
        </Line>
        <Line
          title="Blocked roles"
          state={blockedRoles === 0 ? { tone: 'good', text: 'None' } : { tone: 'bad', text: String(blockedRoles) }}
        >
          {blockedRoles > 0 && (
            <Link to="/communities/$communityId/setup" params={params}>
              See what to fix
            </Link>
          )}
        </Line>
        {health.chains.map((chain) => (
          <Line key={chain.chain} title={chain.name} state={chainStates[chain.state]}>
            {chain.followedTime !== undefined && chain.state === 'behind' && (
              <span>
                Last read to its end <Time at={chain.followedTime} isRelative />. Members keep their roles until it
                answers.
              </span>
            )}
          </Line>
        ))}
      </dl>
    </Section>
  );
}

interface Shown {
  tone: Tone;
  text: string;
}

const chainStates: Readonly<Record<Chain['state'], Shown>> = {
  live: { tone: 'good', text: 'Live' },
  behind: { tone: 'warn', text: 'Behind' },
  polled: { tone: 'plain', text: 'Read at each re-check' },
  unread: { tone: 'bad', text: 'No node configured' },
};

function botState({ status, setupProblems, setupCheckTime }: Health): Shown {
  if (status === 'kicked') return { tone: 'bad', text: 'Removed from the community' };
  if (status === 'paused') return { tone: 'plain', text: 'Paused by an admin' };
  if (setupProblems.length > 0) return { tone: 'bad', text: 'Needs attention' };
  return setupCheckTime === undefined ? { tone: 'plain', text: 'Not checked yet' } : { tone: 'good', text: 'Working' };
}

function checkState({ lastCheckTime, nextCheckTime, status }: Health): Shown {
  if (status !== 'active') return { tone: 'plain', text: 'Stopped' };
  if (lastCheckTime === undefined) return { tone: 'plain', text: 'Starts soon' };
  return nextCheckTime === undefined
    ? { tone: 'plain', text: 'On demand only' }
    : { tone: 'good', text: 'On schedule' };
}

function Line({ title, state, children }: { title: string; state: Shown; children?: ReactNode }) {
  return (
    <div className={styles.line}>
      <dt>{title}</dt>
      <dd>
        <State tone={state.tone}>{state.text}</State>
        <div className={styles.more}>{children}</div>
      </dd>
    </div>
  );
}

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
