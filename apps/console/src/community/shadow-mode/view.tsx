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
import { useScreenParams } from '../../shared/screen.ts';
import { ConfirmDialog, EmptyState, Page, PagedList, Query, Section, State, Time } from '../../shared/ui/index.ts';
import { MemberChange } from '../../shared/why.tsx';
import { counted, formatDay } from '../../shared/words.ts';
import styles from './shadow-mode.module.css';

export function View() {
  const { communityId } = useScreenParams('communityId');
  const shadow = useShadow(communityId);
  useLive({ communityId });
  const { found, day } = shadow;
  return (
    <Page
      title="Shadow mode"
      lead="Run beside another bot: Latchkey evaluates your rules and shows where roles differ, but writes no role."
      crumbs={[{ title: 'Rules', to: `/communities/${encodeURIComponent(communityId)}/rules` }]}
      actions={found.data !== undefined && <Switch shadow={shadow} />}
    >
      <Query read={found} what="shadow mode">
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
    <Section title={`Members on ${formatDay(day)}`}>
      <PagedList
        pages={differences}
        what="differences"
        keyOf={({ userId, roleId }) => `${userId} ${roleId}`}
        empty={<EmptyState title="No differences left">A later check on this day found no difference.</EmptyState>}
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
      state={<State tone={isGain ? 'good' : 'bad'}>{isGain ? 'Gain' : 'Lose'}</State>}
    />
  );
}

const firstShown = 7;

/** How far roles differed from the rules on each day. */
function Days({ days, chosen, members }: { days: ShadowMode['days']; chosen: string; members: number | undefined }) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? days : days.slice(0, firstShown);
  return (
    <Section
      title="Differences by day"
      lead="As last seen on each day, in UTC. Members whose holdings could not be read are not counted."
    >
      {days.length === 0 ? (
        <EmptyState title="No differences so far">
          Days appear here when a check finds a role that the rules would grant or remove.
        </EmptyState>
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
                <span>{counted(grants, 'role to grant', 'roles to grant')}</span>
                <span>{counted(revokes, 'role to remove', 'roles to remove')}</span>
                <span className={styles.concerned}>
                  {members === undefined || members < concerned
                    ? counted(concerned, 'member')
                    : `${concerned.toLocaleString()} of ${counted(members, 'member')}`}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {days.length > firstShown && !showsAll && (
        <Button variant="default" size="compact-sm" className={styles.more} onClick={() => setShowsAll(true)}>
          Show all {days.length.toLocaleString()} days
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
  const { isOn, startedTime, takenOverTime, changeSetId } = mode;
  const changeSet = changeSetId !== undefined && (
    <Link to="/communities/$communityId/role-changes/$changeSetId" params={{ communityId, changeSetId }}>
      {isOn ? 'See the roles that were put back' : 'See what the takeover changed'}
    </Link>
  );
  return (
    <>
      <p className={styles.facts}>
        <State tone={isOn ? 'warn' : 'good'}>{isOn ? 'On: no role is written' : 'Off: Latchkey writes roles'}</State>
        {isOn && startedTime !== undefined && (
          <span>
            Since <Time at={startedTime} />
          </span>
        )}
        {takenOverTime !== undefined && (
          <span>
            Taken over <Time at={takenOverTime} />
          </span>
        )}
        {isOn && health?.lastCheckTime !== undefined && (
          <span>
            All members checked <Time at={health.lastCheckTime} isRelative />
          </span>
        )}
        {changeSet}
      </p>
      <TakeOver takeOver={mode.takeOver} />
      {isOn && health?.rules === 0 && (
        <Alert color="gray" title="There is nothing to compare yet">
          Your community has no rules.{' '}
          <Link to="/communities/$communityId/rules/import" params={{ communityId }}>
            Import those of the other bot
          </Link>
          , or write your own.
        </Alert>
      )}
      {!isOn && startedTime === undefined && (
        <ol className={styles.steps}>
          <li>Start shadow mode. The other bot goes on giving roles.</li>
          <li>Import its rules, or write your own, and ask members to link their wallets.</li>
          <li>See each day who would gain or lose a role, and why. Change rules until that is what you expect.</li>
          <li>Stop the other bot and take over. You can undo that in one step.</li>
        </ol>
      )}
    </>
  );
}

/** The progress of a takeover. A worker does it, so it continues when the page is closed. */
function TakeOver({ takeOver }: Pick<ShadowMode, 'takeOver'>) {
  if (takeOver === undefined) return null;
  const { askedTime, checkedMembers, members, problem } = takeOver;
  if (askedTime === undefined)
    return (
      <Alert color="red" title="The takeover was stopped">
        {problem} Fix that, then take over again. No role was written.
      </Alert>
    );
  const checked = members === undefined ? 'Counting members…' : `${sayOf(checkedMembers, members)} checked.`;
  return (
    <Alert color={problem === undefined ? 'gray' : 'yellow'} title="Taking over">
      {checked} {problem} Roles are written once all members are checked. You can close this page.
    </Alert>
  );
}

function sayOf(done: number, all: number): string {
  return `${done.toLocaleString()} of ${counted(all, 'member')}`;
}

/** Turns shadow mode on or off. Each button says what happens, and asks for confirmation. */
function Switch({ shadow }: { shadow: Shadow }) {
  const { communityId, found, start, takeOver, undo } = shadow;
  const [asked, setAsked] = useState<keyof typeof explanations>();
  const { isOn = false, takenOverTime, takeOver: inProgress, days = [] } = found.data ?? {};
  const isTakingOver = inProgress?.askedTime !== undefined;
  const choices = {
    start: { action: start, title: 'Start shadow mode?', yes: 'Stop writing roles', isDangerous: false },
    takeOver: { action: takeOver, title: 'Take over from the other bot?', yes: 'Take over', isDangerous: true },
    cancel: { action: undo, title: 'Cancel the takeover?', yes: 'Cancel the takeover', isDangerous: false },
    undo: { action: undo, title: 'Undo the takeover?', yes: 'Put the roles back', isDangerous: true },
  };
  const ask = (which: keyof typeof choices) => {
    choices[which].action.reset();
    setAsked(which);
  };
  const choice = asked && choices[asked];
  return (
    <>
      {isOn && !isTakingOver && <Button onClick={() => ask('takeOver')}>Take over</Button>}
      {isTakingOver && (
        <Button variant="default" onClick={() => ask('cancel')}>
          Cancel the takeover
        </Button>
      )}
      {!isOn && (
        <Button variant={takenOverTime === undefined ? 'filled' : 'default'} onClick={() => ask('start')}>
          Start shadow mode
        </Button>
      )}
      {!isOn && takenOverTime !== undefined && (
        <Button variant="default" onClick={() => ask('undo')}>
          Undo the takeover
        </Button>
      )}
      {choice !== undefined && (
        <ConfirmDialog
          {...choice}
          onYes={() => choice.action.runAsync({ communityId })}
          onClose={() => setAsked(undefined)}
        >
          {asked === 'takeOver' && <Summary days={days} />}
          <Text size="sm">{asked && explanations[asked]}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}

/** What to expect according to the newest day; the takeover checks again. */
function Summary({ days: [newest] }: { days: ShadowMode['days'] }) {
  if (newest === undefined) return <Text size="sm">So far no check found a difference between roles and rules.</Text>;
  const { day, grants, revokes, members } = newest;
  return (
    <Text size="sm">
      On {formatDay(day)} the rules would have granted <strong>{counted(grants, 'role')}</strong> and removed{' '}
      <strong>{counted(revokes, 'role')}</strong>, for {counted(members, 'member')}.
    </Text>
  );
}

const explanations = {
  start:
    'Latchkey writes no role in this community from then on, and rejects role changes that wait. Roles that members have stay. Rules are still evaluated, so that you see what they would do.',
  takeOver:
    'Stop the other bot first, or both write the same roles. Latchkey checks every member and writes all differences as one change, which you can undo. Members whose holdings cannot be read keep their roles.',
  cancel:
    'Latchkey writes no role, and only compares again. If it has just finished, it puts back the roles it changed.',
  undo: 'Latchkey puts back the roles that the takeover changed, and only compares again. Roles that changed for other reasons since then stay.',
} as const;

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
  const { day: asked }: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const start = useAction(`PUT ${path}`, { changes });
  const takeOver = useAction(`POST ${path}/take-over`, { changes });
  const undo = useAction(`POST ${path}/return`, { changes });
  const { days = [] } = found.data ?? {};
  const isDay = typeof asked === 'string' && days.some(({ day }) => day === asked);
  const day = isDay ? asked : (days[0]?.day ?? new Date().toISOString().slice(0, 10));
  return { communityId, found, health, day, start, takeOver, undo };
}

type Shadow = ReturnType<typeof useShadow>;
