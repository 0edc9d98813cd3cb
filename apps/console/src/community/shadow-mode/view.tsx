import { Alert, Button, Text } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type Answer,
  type ItemOf,
  type ReadRoute,
  useAction,
  useLive,
  useOperation,
  usePages,
} from '../../shared/api/index.ts';
import { MemberChange } from '../../shared/parts/why.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import { ConfirmDialog, EmptyState, Page, PagedList, Query, Section, State, Time } from '../../shared/ui/index.ts';
import { formatDay } from '../../shared/words.ts';
import { t } from '../messages/index.ts';
import styles from './shadow-mode.module.css';

export function View() {
  const { communityId } = useScreenParams('communityId');
  const shadow = useShadow(communityId);
  useLive({ communityId });
  const { found, day } = shadow;
  return (
    <Page
      title={t('shadow.title')}
      lead={t('shadow.lead')}
      crumbs={[{ title: t('rules.title'), to: `/communities/${encodeURIComponent(communityId)}/rules` }]}
      actions={found.data !== undefined && <Switch shadow={shadow} />}
    >
      <Query read={found} loading={t('shadow.loading')}>
        {(mode) => (
          <>
            <Standing communityId={communityId} mode={mode} health={shadow.health.data} />
            {mode.startedTime !== undefined && (
              <>
                <Days days={mode.days} chosen={day} members={shadow.health.data?.members} />
                {mode.days.length > 0 && <Differences communityId={communityId} day={day} />}
              </>
            )}
          </>
        )}
      </Query>
    </Page>
  );
}

const list = 'GET /latchkey/communities/{communityId}/shadow-mode/differences';

/** Which members would have other roles if the rules decided, on one day, and why. */
function Differences({ communityId, day }: { communityId: string; day: string }) {
  const differences = usePages(list, { communityId, day, limit: 50 });
  return (
    <Section title={t('shadow.membersOn', { day: formatDay(day) })}>
      <PagedList
        pages={differences}
        loading={t('shadow.loadingDifferences')}
        more={t('shadow.moreDifferences')}
        keyOf={({ userId, roleId }) => `${userId} ${roleId}`}
        empty={<EmptyState title={t('shadow.noDifferencesTitle')}>{t('shadow.noDifferences')}</EmptyState>}
      >
        {(difference) => <Difference communityId={communityId} difference={difference} />}
      </PagedList>
    </Section>
  );
}

function Difference({ communityId, difference }: { communityId: string; difference: ItemOf<typeof list> }) {
  const isGain = difference.action === 'grant';
  return (
    <MemberChange
      communityId={communityId}
      change={difference}
      verb={isGain ? 'would get' : 'would lose'}
      state={<State tone={isGain ? 'good' : 'bad'}>{t(isGain ? 'shadow.gain' : 'shadow.lose')}</State>}
    />
  );
}

const firstShown = 7;

/** How far roles differed from the rules on each day. */
function Days({ days, chosen, members }: { days: ShadowMode['days']; chosen: string; members: number | undefined }) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? days : days.slice(0, firstShown);
  return (
    <Section title={t('shadow.days')} lead={t('shadow.daysLead')}>
      {days.length === 0 ? (
        <EmptyState title={t('shadow.noDaysTitle')}>{t('shadow.noDays')}</EmptyState>
      ) : (
        <ul className={styles.days}>
          {shown.map(({ day, grants, revokes, members: concerned }) => (
            <li key={day}>
              <Link
                to="."
                search={{ day }}
                resetScroll={false}
                className={styles.day}
                aria-current={day === chosen ? 'true' : undefined}
              >
                <span className={styles.date}>{formatDay(day)}</span>
                <span>{t('shadow.grants', { count: grants })}</span>
                <span>{t('shadow.revokes', { count: revokes })}</span>
                <span className={styles.concerned}>
                  {members === undefined || members < concerned
                    ? t('shadow.members', { count: concerned })
                    : t('shadow.membersOf', { count: concerned, all: members })}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {days.length > firstShown && !showsAll && (
        <Button variant="default" size="compact-sm" className={styles.more} onClick={() => setShowsAll(true)}>
          {t('shadow.allDays', { count: days.length })}
        </Button>
      )}
    </Section>
  );
}

type Health = Answer<'GET /latchkey/communities/{communityId}/health'>;

/** Who writes the roles now, and since when. */
function Standing({
  communityId,
  mode,
  health,
}: {
  communityId: string;
  mode: ShadowMode;
  health: Health | undefined;
}) {
  const { isOn, startedTime, takenOverTime, changeSetId, undoWaits } = mode;
  const changeSet = changeSetId !== undefined && (
    <Link to="/communities/$communityId/role-changes/$changeSetId" params={{ communityId, changeSetId }}>
      {t(undoWaits ? 'shadow.decideUndo' : isOn ? 'shadow.seeUndone' : 'shadow.seeChanged')}
    </Link>
  );
  return (
    <>
      <p className={styles.facts}>
        <State tone={isOn ? 'warn' : 'good'}>{t(isOn ? 'shadow.on' : 'shadow.off')}</State>
        {isOn && startedTime !== undefined && (
          <span>{t.rich('shadow.since', { time: <Time key="time" at={startedTime} /> })}</span>
        )}
        {takenOverTime !== undefined && (
          <span>{t.rich('shadow.takenOver', { time: <Time key="time" at={takenOverTime} /> })}</span>
        )}
        {isOn && health?.lastCheckTime !== undefined && (
          <span>{t.rich('shadow.checked', { time: <Time key="time" at={health.lastCheckTime} isRelative /> })}</span>
        )}
        {changeSet}
      </p>
      <TakeOver takeOver={mode.takeOver} />
      {isOn && health?.rules === 0 && (
        <Alert color="gray" title={t('shadow.noRulesTitle')}>
          {t.rich('shadow.noRules', {
            import: (
              <Link key="import" to="/communities/$communityId/rules/import" params={{ communityId }}>
                {t('shadow.import')}
              </Link>
            ),
          })}
        </Alert>
      )}
      {!isOn && startedTime === undefined && (
        <ol className={styles.steps}>
          <li>{t('shadow.step1')}</li>
          <li>{t('shadow.step2')}</li>
          <li>{t('shadow.step3')}</li>
          <li>{t('shadow.step4')}</li>
        </ol>
      )}
    </>
  );
}

/** The progress of a takeover. A worker does it, so it continues when the page is closed. */
function TakeOver({ takeOver }: Pick<ShadowMode, 'takeOver'>) {
  if (takeOver === undefined) return null;
  const { requestedTime, checkedMembers, members, problem } = takeOver;
  if (requestedTime === undefined)
    return (
      <Alert color="red" title={t('shadow.stoppedTitle')}>
        {problem === undefined ? t('shadow.stoppedWithoutProblem') : t('shadow.stopped', { problem })}
      </Alert>
    );
  const progress =
    members === undefined ? t('shadow.counting') : t('shadow.progress', { checked: checkedMembers, members });
  return (
    <Alert color={problem === undefined ? 'gray' : 'yellow'} title={t('shadow.takingOver')}>
      {progress} {problem} {t('shadow.whenWritten')}
    </Alert>
  );
}

/** Turns shadow mode on or off. Each button says what happens, and asks for confirmation. */
function Switch({ shadow }: { shadow: Shadow }) {
  const { communityId, found, start, takeOver, undo } = shadow;
  const [requested, setAsked] = useState<'start' | 'takeOver' | 'cancel' | 'undo'>();
  const { isOn = false, takenOverTime, takeOver: inProgress, days = [] } = found.data ?? {};
  const isTakingOver = inProgress?.requestedTime !== undefined;
  const choices = {
    start: { action: start, isDangerous: false },
    takeOver: { action: takeOver, isDangerous: true },
    cancel: { action: undo, isDangerous: false },
    undo: { action: undo, isDangerous: true },
  };
  const ask = (which: keyof typeof choices) => {
    choices[which].action.reset();
    setAsked(which);
  };
  const choice = requested && choices[requested];
  return (
    <>
      {isOn && !isTakingOver && <Button onClick={() => ask('takeOver')}>{t('shadow.takeOver')}</Button>}
      {isTakingOver && (
        <Button variant="default" onClick={() => ask('cancel')}>
          {t('shadow.cancel')}
        </Button>
      )}
      {!isOn && (
        <Button variant={takenOverTime === undefined ? 'filled' : 'default'} onClick={() => ask('start')}>
          {t('shadow.start')}
        </Button>
      )}
      {!isOn && takenOverTime !== undefined && (
        <Button variant="default" onClick={() => ask('undo')}>
          {t('shadow.undo')}
        </Button>
      )}
      {requested !== undefined && choice !== undefined && (
        <ConfirmDialog
          {...choice}
          title={t(`shadow.${requested}Title`)}
          yes={t(`shadow.${requested}Yes`)}
          onYes={() => choice.action.runAsync({ communityId })}
          onClose={() => setAsked(undefined)}
        >
          {requested === 'takeOver' && <Summary days={days} />}
          <Text size="sm">{t(`shadow.${requested}Lead`)}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}

/** What to expect according to the newest day; the takeover checks again. */
function Summary({ days: [newest] }: { days: ShadowMode['days'] }) {
  if (newest === undefined) return <Text size="sm">{t('shadow.expectNothing')}</Text>;
  const { day, grants, revokes, members } = newest;
  return (
    <Text size="sm">
      {t.rich('shadow.expect', {
        day: formatDay(day),
        grants: <strong key="grants">{t('shadow.roles', { count: grants })}</strong>,
        revokes: <strong key="revokes">{t('shadow.roles', { count: revokes })}</strong>,
        members,
      })}
    </Text>
  );
}

const path = '/latchkey/communities/{communityId}/shadow-mode';
const mode = 'GET /latchkey/communities/{communityId}/shadow-mode';

type ShadowMode = Answer<typeof mode>;

const changes: readonly ReadRoute[] = [
  mode,
  'GET /latchkey/communities/{communityId}/shadow-mode/differences',
  'GET /latchkey/communities/{communityId}/change-sets',
  'GET /latchkey/account/waiting',
];

/** Shadow mode of a community: whether it is on, its days, the selected day, and turning it on or off. */
function useShadow(communityId: string) {
  const found = useOperation(mode, { communityId });
  const health = useOperation('GET /latchkey/communities/{communityId}/health', { communityId });
  const { day: request }: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const start = useAction(`PUT ${path}`, { changes });
  const takeOver = useAction(`POST ${path}/take-over`, { changes });
  const undo = useAction(`POST ${path}/return`, { changes });
  const { days = [] } = found.data ?? {};
  const isDay = typeof request === 'string' && days.some(({ day }) => day === request);
  const day = isDay ? request : (days[0]?.day ?? new Date().toISOString().slice(0, 10));
  return { communityId, found, health, day, start, takeOver, undo };
}

type Shadow = ReturnType<typeof useShadow>;
