import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Answer, useLive, useOperation } from '../../shared/api/index.ts';
import { ShadowNotice } from '../../shared/parts/shadow-notice.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import { Page, Query, Section, State, Time, type Tone } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import { Activity } from './activity.tsx';
import styles from './overview.module.css';

export function View() {
  const { communityId } = useScreenParams('communityId');
  const health = useOperation('GET /latchkey/communities/{communityId}/health', { communityId });
  useLive({ communityId });
  const { name = t('common.community'), rules = 0 } = health.data ?? {};
  return (
    <Page
      title={name}
      actions={
        <>
          <Button
            variant={rules === 0 ? 'default' : 'filled'}
            renderRoot={(props) => (
              <Link to="/communities/$communityId/rules/new" params={{ communityId }} {...props} />
            )}
          >
            {t('overview.newRule')}
          </Button>
          {rules === 0 && (
            <Button
              renderRoot={(props) => <Link to="/communities/$communityId/setup" params={{ communityId }} {...props} />}
            >
              {t('common.finishSetup')}
            </Button>
          )}
        </>
      }
    >
      <ShadowNotice communityId={communityId} />
      <Query read={health} loading={t('overview.loading')} lines={5}>
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
    <Section title={t('overview.health')}>
      <dl className={styles.health}>
        <Line title={t('overview.bot')} state={bot}>
          {health.setupProblems.map((problem) => (
            <span key={problem}>{problem}</span>
          ))}
          <Link to="/communities/$communityId/setup" params={params}>
            {t('overview.checkSetup')}
          </Link>
        </Line>
        <Line title={t('overview.recheck')} state={checkState(health)}>
          {health.lastCheckTime !== undefined && (
            <span>
              {health.nextCheckTime === undefined
                ? t.rich('overview.lastCheck', { last: <Time key="last" at={health.lastCheckTime} isRelative /> })
                : t.rich('overview.lastAndNextCheck', {
                    last: <Time key="last" at={health.lastCheckTime} isRelative />,
                    next: <Time key="next" at={health.nextCheckTime} isRelative />,
                  })}
            </span>
          )}
          {health.isMemberListComplete === false && <span>{t('overview.partList')}</span>}
        </Line>
        <Line
          title={t('overview.toApprove')}
          state={
            heldChangeSets === 0
              ? { tone: 'good', text: t('overview.none') }
              : { tone: 'warn', text: t.number(heldChangeSets) }
          }
        >
          {heldChangeSets > 0 && (
            <Link to="/communities/$communityId/role-changes" params={params}>
              {t('overview.review')}
            </Link>
          )}
        </Line>
        <Line
          title={t('overview.blockedRoles')}
          state={
            blockedRoles === 0
              ? { tone: 'good', text: t('overview.none') }
              : { tone: 'bad', text: t.number(blockedRoles) }
          }
        >
          {blockedRoles > 0 && (
            <Link to="/communities/$communityId/setup" params={params}>
              {t('overview.seeFixes')}
            </Link>
          )}
        </Line>
        {health.chains.map((chain) => (
          <Line
            key={chain.chain}
            title={chain.name}
            state={{ tone: chainTones[chain.state], text: t(`overview.chain.${chain.state}`) }}
          >
            {chain.followedTime !== undefined && chain.state === 'behind' && (
              <span>
                {t.rich('overview.behindSince', { time: <Time key="time" at={chain.followedTime} isRelative /> })}
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

const chainTones: Readonly<Record<Chain['state'], Tone>> = {
  live: 'good',
  behind: 'warn',
  polled: 'plain',
  unread: 'bad',
};

type SetupState = Answer<'GET /latchkey/communities/{communityId}/setup'>['state'];

const setupTones: Readonly<Record<SetupState, Tone>> = {
  ready: 'good',
  incomplete: 'warn',
  broken: 'bad',
  unknown: 'plain',
};

/** The state of the bot, from the last scheduled setup check, or from a check now if there was none yet. */
function useBotState(communityId: string, { status, setupProblems, setupCheckTime }: Health): Shown {
  const isUnchecked = status === 'active' && setupProblems.length === 0 && setupCheckTime === undefined;
  const setup = useOperation(
    'GET /latchkey/communities/{communityId}/setup',
    { communityId },
    { enabled: isUnchecked },
  );
  if (status === 'kicked') return { tone: 'bad', text: t('overview.setup.kicked') };
  if (status === 'paused') return { tone: 'plain', text: t('overview.setup.paused') };
  if (setupProblems.length > 0) return setupShown('broken');
  if (!isUnchecked) return setupShown('ready');
  if (setup.data !== undefined) return setupShown(setup.data.state);
  return setup.error === null ? { tone: 'plain', text: t('overview.setup.checking') } : setupShown('unknown');
}

function setupShown(state: SetupState): Shown {
  return { tone: setupTones[state], text: t(`overview.setup.${state}`) };
}

function checkState({ lastCheckTime, nextCheckTime, status }: Health): Shown {
  if (status !== 'active') return { tone: 'plain', text: t('overview.recheckStopped') };
  if (lastCheckTime === undefined) return { tone: 'plain', text: t('overview.recheckSoon') };
  return nextCheckTime === undefined
    ? { tone: 'plain', text: t('overview.recheckOnDemand') }
    : { tone: 'good', text: t('overview.recheckScheduled') };
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
    { title: t('overview.members'), value: members },
    { title: t('overview.withWallet'), value: membersWithWallets, share: shareOf(membersWithWallets, members) },
    { title: t('overview.withRole'), value: holders, share: shareOf(holders, members) },
    { title: t('overview.rules'), value: rules },
  ];
  return (
    <dl className={styles.stats}>
      {stats.map(({ title, value, share }) => (
        <div key={title} className={styles.stat}>
          <dt>{title}</dt>
          <dd>
            <span className={styles.value}>{t.number(value)}</span>
            {share !== undefined && <span className={styles.share}>{share}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function shareOf(part: number, whole: number): string | undefined {
  return whole === 0 ? undefined : t('overview.share', { share: part / whole });
}
