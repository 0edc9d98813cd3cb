import { Alert } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Answer } from '../../shared/api/index.ts';
import { State, Time } from '../../shared/ui/index.ts';
import styles from './shadow-mode.module.css';
import { counted, type ShadowMode } from './use-shadow.ts';

type Health = Answer<'GET /latchkey/communities/{communityId}/health'>;

/** Who writes the roles now, and since when. */
export function Standing({
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
      {isOn ? 'See the roles that were put back' : 'See what the take-over changed'}
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

/** How far a take-over is; a worker does it, so it goes on when the page is closed. */
function TakeOver({ takeOver }: Pick<ShadowMode, 'takeOver'>) {
  if (takeOver === undefined) return null;
  const { askedTime, checkedMembers, members, problem } = takeOver;
  if (askedTime === undefined)
    return (
      <Alert color="red" title="The take-over was stopped">
        {problem} Fix that, then take over again. No role was written.
      </Alert>
    );
  const checked = members === undefined ? 'Counting members…' : `${sayOf(checkedMembers, members)} checked.`;
  return (
    <Alert color={problem === undefined ? 'gray' : 'yellow'} title="Taking over">
      {checked} {problem} Roles are written when everybody is checked. You can close this page.
    </Alert>
  );
}

function sayOf(done: number, all: number): string {
  return `${done.toLocaleString()} of ${counted(all, 'member', 'members')}`;
}
