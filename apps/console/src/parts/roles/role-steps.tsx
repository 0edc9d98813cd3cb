import type { CallResult } from '@latchkey/client';
import type { ReactNode } from 'react';
import { chainName } from '../chain-name.ts';
import { icon } from '../line-icon.tsx';
import { platformName } from '../names.ts';
import { Moment } from './moment.tsx';
import { RoleDot } from './role-card.tsx';
import styles from './roles.module.css';

export type RoleSteps = CallResult<'GET /latchkey/account/communities/{communityId}/role-steps'>;
type Step = RoleSteps['linked'];
type Change = RoleSteps['roles'][number];

/** The newest changes say enough; the rest is history. */
const mostChanges = 5;

interface RoleStepsProps {
  steps: RoleSteps;
  /** The member's name, for an admin who reads about them. Absent for the member. */
  name?: string;
  /** Where an admin sees the change set of a change. */
  linkTo?: (changeSetId: string) => ReactNode;
}

/** The way of a role from the wallet to the chat, with the step that waits and why. */
export function RoleStepList({ steps, name, linkTo }: RoleStepsProps) {
  const { linked, checked, blocks, roles, platform } = steps;
  const where = platformName(platform);
  const read = blocks.map(({ chain, block }) => `block ${formatBlock(block)} of ${chainName(chain)}`);
  const changes = roles.slice(0, mostChanges);
  return (
    <ol className={styles.steps}>
      <StepLine
        step={linked}
        title={linked.state === 'done' ? 'Wallet linked' : 'No wallet linked'}
        words={describe(linked, where, name)}
      />
      <StepLine
        step={checked}
        title={checked.state === 'done' && read.length > 0 ? `Checked at ${read.join(', ')}` : 'Checked'}
        words={describe(checked, where, name)}
      />
      {changes.length === 0 && checked.state === 'done' && linked.state === 'done' && (
        <StepLine step={{ state: 'none' }} title="No role to change" words={`Nothing to write in ${where}.`} />
      )}
      {changes.map((change) => (
        <ChangeLines key={change.roleId} change={change} where={where} name={name} linkTo={linkTo} />
      ))}
    </ol>
  );
}

function ChangeLines(props: {
  change: Change;
  where: string;
  name: string | undefined;
  linkTo: RoleStepsProps['linkTo'];
}) {
  const { change, where, name, linkTo } = props;
  const { roleId, action, written, seen, color, changeSetId } = change;
  const role = (
    <span className={styles.inRole} title={change.name}>
      <RoleDot color={color} /> <bdi>{change.name ?? `Role ${roleId}`}</bdi>
    </span>
  );
  const isGiven = action === 'grant';
  const more = changeSetId !== undefined && linkTo?.(changeSetId);
  return (
    <>
      <StepLine
        step={written}
        title={
          <>
            {role}{' '}
            {written.state === 'done' ? (isGiven ? 'given' : 'removed') : isGiven ? 'to be given' : 'to be removed'}
          </>
        }
        words={describe(written, where, name)}
      >
        {more}
      </StepLine>
      {written.state === 'done' && (
        <StepLine
          step={seen}
          title={
            seen.state === 'done'
              ? isGiven
                ? `Seen in ${where}`
                : `No longer shown in ${where}`
              : `Not as written in ${where}`
          }
          words={describe(seen, where, name)}
        />
      )}
    </>
  );
}

const ring = 'M12 3.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 0 0 0-17z';
const marks = {
  done: { Mark: icon(ring, 'M8.5 12.5l2.5 2.5l4.5-5.5'), word: 'Done' },
  waiting: { Mark: icon(ring, 'M12 7.5v4.5l3 2'), word: 'Waiting' },
  stopped: { Mark: icon(ring, 'M12 8v4.5', 'M12 16h.01'), word: 'Stopped' },
  none: { Mark: icon(ring, 'M8.5 12h7'), word: 'Nothing to do' },
} as const;

function StepLine({
  step,
  title,
  words,
  children,
}: {
  step: Step;
  title: ReactNode;
  words: string;
  children?: ReactNode;
}) {
  const { Mark, word } = marks[step.state];
  const { time, sinceTime, nextTime, advice } = step;
  return (
    <li className={styles.step} data-state={step.state} aria-current={step.state === 'waiting' ? 'step' : undefined}>
      <Mark size={20} aria-hidden="true" />
      <div className={styles.text}>
        <p>
          <span className={styles.hidden}>{word}: </span>
          {title}{' '}
          {time !== undefined && (
            <span className={styles.time}>
              <Moment at={time} />
            </span>
          )}
        </p>
        {words !== '' && step.state !== 'done' && (
          <p className={styles.found}>
            {words}
            {sinceTime !== undefined && (
              <>
                {' '}
                Waiting since <Moment at={sinceTime} />.
              </>
            )}
            {nextTime !== undefined && (
              <>
                {' '}
                Next try: <Moment at={nextTime} />.
              </>
            )}
          </p>
        )}
        {advice !== undefined && <p className={styles.found}>{advice}</p>}
        {children}
      </div>
    </li>
  );
}

/** Why a step waits, to the member or to an admin. */
function describe({ cause }: Step, where: string, name: string | undefined): string {
  const isSelf = name === undefined;
  switch (cause) {
    case undefined:
      return '';
    case 'no-wallet':
      return isSelf
        ? 'None of your wallets counts here yet. Link one.'
        : `${name} has no linked wallet that counts here.`;
    case 'queue':
      return 'It is next in the queue.';
    case 'unreadable':
      return 'A blockchain node or a service did not respond. Roles stay as they are, and the check is repeated.';
    case 'approval':
      return isSelf ? 'An admin of the community must approve this change.' : 'This change is held for approval.';
    case 'quiet-hours':
      return 'The community removes no roles during its quiet hours.';
    case 'writing':
      return `It was sent to ${where} and is being confirmed.`;
    case 'platform':
      return `${where} did not respond. The change is tried again.`;
    case 'role-above-bot':
      return isSelf
        ? 'The bot is not allowed to give this role. An admin must move the bot’s role above it.'
        : 'This role is above the bot’s own role.';
    case 'blocked-role':
      return isSelf
        ? `${where} does not let the bot change this role. An admin must fix that.`
        : `${where} does not let the bot change this role.`;
    case 'protected-member':
      return isSelf
        ? `${where} does not let the bot change your roles.`
        : `${where} does not let the bot change ${name}’s roles.`;
    case 'screening':
      return isSelf
        ? 'Accept the rules of the server first. Then the role is given.'
        : `${name} has not accepted the rules of the server yet.`;
    case 'refused':
      return `${where} refused this change.`;
    case 'shadow-mode':
      return 'This community only compares for now: no roles are changed.';
    case 'undone-by-admin':
      return 'An admin undid this change.';
    default:
      return `${where} shows something else: the role was changed there by hand, or by another bot.`;
  }
}

function formatBlock(block: string): string {
  return /^\d+$/.test(block) ? BigInt(block).toLocaleString() : block;
}

/** Whether something goes on by itself within the next minute, so that it is worth looking again. */
export function isMoving({ checked, linked, roles }: RoleSteps): boolean {
  const soon = Date.now() + 60_000;
  const isSoon = ({ state, nextTime }: Step) =>
    state === 'waiting' && (nextTime === undefined || new Date(nextTime).getTime() < soon);
  return [linked, checked, ...roles.map(({ written }) => written)].some(isSoon);
}

/** What is different when something has happened. */
export function stepsKey({ checked, linked, roles }: RoleSteps): string {
  return JSON.stringify([
    linked.time,
    checked.time,
    roles.map(({ roleId, written, seen }) => [roleId, written.state, seen.state]),
  ]);
}
