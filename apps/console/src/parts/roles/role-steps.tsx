import type { CallResult } from '@latchkey/client';
import type { ReactNode } from 'react';
import { t } from '../../messages/index.ts';
import { chainName } from '../chain-name.ts';
import { icon } from '../line-icon.ts';
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
  const read = blocks.map(({ chain, block }) => t('step.block', { block: t.decimal(block), chain: chainName(chain) }));
  const changes = roles.slice(0, mostChanges);
  return (
    <ol className={styles.steps}>
      <StepLine
        step={linked}
        title={linked.state === 'done' ? t('step.linked') : t('step.notLinked')}
        words={describe(linked, where, name)}
      />
      <StepLine
        step={checked}
        title={
          checked.state === 'done' && read.length > 0
            ? t('step.checkedAt', { blocks: t.list(read) })
            : t('step.checked')
        }
        words={describe(checked, where, name)}
      />
      {changes.length === 0 && checked.state === 'done' && linked.state === 'done' && (
        <StepLine
          step={{ state: 'none' }}
          title={t('step.noChange')}
          words={t('step.nothingToWrite', { platform: where })}
        />
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
    <span key="role" className={styles.inRole} title={change.name}>
      <RoleDot color={color} /> <bdi>{change.name ?? t('role.unnamed', { id: roleId })}</bdi>
    </span>
  );
  const isGiven = action === 'grant';
  const more = changeSetId !== undefined && linkTo?.(changeSetId);
  return (
    <>
      <StepLine
        step={written}
        title={t.rich(
          written.state === 'done'
            ? isGiven
              ? 'step.given'
              : 'step.removed'
            : isGiven
              ? 'step.toGive'
              : 'step.toRemove',
          { role },
        )}
        words={describe(written, where, name)}
      >
        {more}
      </StepLine>
      {written.state === 'done' && (
        <StepLine
          step={seen}
          title={t(seen.state !== 'done' ? 'step.different' : isGiven ? 'step.seen' : 'step.notSeen', {
            platform: where,
          })}
          words={describe(seen, where, name)}
        />
      )}
    </>
  );
}

const ring = 'M12 3.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 0 0 0-17z';
const marks = {
  done: { Mark: icon(ring, 'M8.5 12.5l2.5 2.5l4.5-5.5'), id: 'step.done' },
  waiting: { Mark: icon(ring, 'M12 7.5v4.5l3 2'), id: 'step.waiting' },
  stopped: { Mark: icon(ring, 'M12 8v4.5', 'M12 16h.01'), id: 'step.stopped' },
  none: { Mark: icon(ring, 'M8.5 12h7'), id: 'step.none' },
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
  const { Mark, id } = marks[step.state];
  const { time, sinceTime, nextTime, advice } = step;
  return (
    <li className={styles.step} data-state={step.state} aria-current={step.state === 'waiting' ? 'step' : undefined}>
      <Mark size={20} aria-hidden="true" />
      <div className={styles.text}>
        <p>
          <span className={styles.hidden}>{t(id)} </span>
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
            {sinceTime !== undefined && <> {t.rich('step.since', { time: <Moment key="time" at={sinceTime} /> })}</>}
            {nextTime !== undefined && <> {t.rich('step.next', { time: <Moment key="time" at={nextTime} /> })}</>}
          </p>
        )}
        {advice !== undefined && <p className={styles.found}>{advice}</p>}
        {children}
      </div>
    </li>
  );
}

/** Why a step waits, to the member, or to the admin who reads about `name`. */
function describe({ cause }: Step, platform: string, name: string | undefined): string {
  if (cause === undefined) return '';
  return (name !== undefined && describeToAdmin(cause, platform, name)) || causes[cause](platform);
}

type Cause = NonNullable<Step['cause']>;

const causes: Readonly<Record<Cause, (platform: string) => string>> = {
  'no-wallet': () => t('cause.noWallet'),
  queue: () => t('cause.queue'),
  unreadable: () => t('cause.unreadable'),
  approval: () => t('cause.approval'),
  'quiet-hours': () => t('cause.quietHours'),
  writing: (platform) => t('cause.writing', { platform }),
  platform: (platform) => t('cause.platform', { platform }),
  'role-above-bot': () => t('cause.roleAboveBot'),
  'blocked-role': (platform) => t('cause.blockedRole', { platform }),
  'protected-member': (platform) => t('cause.protectedMember', { platform }),
  screening: () => t('cause.screening'),
  refused: (platform) => t('cause.refused', { platform }),
  'shadow-mode': () => t('cause.shadowMode'),
  'undone-by-admin': () => t('cause.undone'),
  'not-shown': (platform) => t('cause.changedThere', { platform }),
};

/** What an admin reads differently. The console is in English. */
function describeToAdmin(cause: Cause, platform: string, name: string): string | undefined {
  switch (cause) {
    case 'no-wallet':
      return `${name} has no linked wallet that counts here.`;
    case 'approval':
      return 'This change is held for approval.';
    case 'role-above-bot':
      return 'This role is above the bot’s own role.';
    case 'blocked-role':
      return `${platform} does not let the bot change this role.`;
    case 'protected-member':
      return `${platform} does not let the bot change ${name}’s roles.`;
    case 'screening':
      return `${name} has not accepted the rules of the server yet.`;
    default:
      return undefined;
  }
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
