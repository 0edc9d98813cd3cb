import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Answer, useLive, useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { ShadowNotice } from '../../shared/shadow-notice.tsx';
import { Page, Query, Section, State, Time, type Tone } from '../../shared/ui/index.ts';
import { Activity } from './activity.tsx';
import styles from './overview.module.css';

export function View() {
  const { communityId } = useScreenParams('communityId');
  const health = useOperation('GET /latchkey/communities/{communityId}/health', { communityId });
  useLive({ communityId });
  const { name = 'Community', rules = 0 } = health.data ?? {};
  return (
    <Page
      title={name}
      crumbs={[{ title: 'Home', to: '/' }]}
      actions={
        <>
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

/** A summary of whether everything works, with links to what does not. */
function HealthSection({ communityId, health }: { communityId: string; health: Health }) {
  const params = { communityId };
  const { heldChangeSets, blockedRoles } = health;
  const bot = useBotState(communityId, health);
  return (
    <Section title="Health">
      <dl className={styles.health}>
        <Line title="Bot" state={bot}>
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
          state={
            heldChangeSets === 0
              ? { tone: 'good', text: 'None' }
              : { tone: 'warn', text: heldChangeSets.toLocaleString() }
          }
        >
          {heldChangeSets > 0 && (
            <Link to="/communities/$communityId/role-changes" params={params}>
              Review them
            </Link>
          )}
        </Line>
        <Line
          title="Blocked roles"
          state={
            blockedRoles === 0 ? { tone: 'good', text: 'None' } : { tone: 'bad', text: blockedRoles.toLocaleString() }
          }
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

type SetupState = Answer<'GET /latchkey/communities/{communityId}/setup'>['state'];

const setupStates: Readonly<Record<SetupState, Shown>> = {
  ready: { tone: 'good', text: 'Working' },
  incomplete: { tone: 'warn', text: 'Roles work; some messages do not' },
  broken: { tone: 'bad', text: 'Needs attention' },
  unknown: { tone: 'plain', text: 'Could not be checked' },
};

/** The state of the bot, from the last scheduled setup check, or from a check now if there was none yet. */
function useBotState(communityId: string, { status, setupProblems, setupCheckTime }: Health): Shown {
  const isUnchecked = status === 'active' && setupProblems.length === 0 && setupCheckTime === undefined;
  const setup = useOperation(
    'GET /latchkey/communities/{communityId}/setup',
    { communityId },
    { enabled: isUnchecked },
  );
  if (status === 'kicked') return { tone: 'bad', text: 'Removed from the community' };
  if (status === 'paused') return { tone: 'plain', text: 'Paused by an admin' };
  if (setupProblems.length > 0) return { tone: 'bad', text: 'Needs attention' };
  if (!isUnchecked) return setupStates.ready;
  if (setup.data !== undefined) return setupStates[setup.data.state];
  return setup.error === null ? { tone: 'plain', text: 'Checking …' } : setupStates.unknown;
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

/** How many members there are, and how many completed each step. */
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
