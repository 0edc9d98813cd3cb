import { Anchor, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Answer } from '../../shared/api/index.ts';
import { IconAlertCircle, IconCircleCheck, IconCircleX, IconUserQuestion } from '../../shared/icons.tsx';
import { State, type Tone } from '../../shared/ui/index.ts';
import { chainWords } from '../../wallets/chains.ts';
import styles from './roles.module.css';

type Role = Answer<'GET /latchkey/account/communities/{communityId}/roles'>['roles'][number];
type Way = Role['paths'][number];
type Condition = Way['conditions'][number];

const states: Readonly<Record<Role['state'], { tone: Tone; words: string }>> = {
  kept: { tone: 'good', words: 'You have it' },
  coming: { tone: 'good', words: 'You qualify: check now to get it' },
  going: { tone: 'warn', words: 'You no longer qualify' },
  missing: { tone: 'plain', words: 'Not yet' },
  unknown: { tone: 'warn', words: 'Could not be checked' },
};

/** One role: whether the person has it, and each condition with what it needs and what was found. */
export function RoleCard({ role, onCheck }: { role: Role; onCheck(): void }) {
  const { tone, words } = states[role.state];
  const met = role.paths.some(({ state }) => state === 'met');
  return (
    <details className={styles.role} open={!role.has || role.state === 'going'}>
      <summary>
        <span className={styles.roleName}>{role.name}</span> <State tone={tone}>{words}</State>
        {role.isSuppressed && <State tone="warn">Paused by an admin</State>}
      </summary>
      {role.paths.length === 0 && role.words.map((sentence) => <p key={sentence}>{sentence}</p>)}
      {role.paths.map((path, place) => (
        <div key={path.name ?? path.need ?? place} className={styles.path}>
          {place > 0 && <p className={styles.or}>or</p>}
          {path.name !== undefined && <p className={styles.wayName}>{path.name}</p>}
          {path.conditions.length > 1 && path.need !== undefined && <p className={styles.need}>Needs {path.need}.</p>}
          <ul className={styles.conditions}>
            {path.conditions.map((condition) => (
              <ConditionLine key={condition.need} condition={condition} isDone={met} onCheck={onCheck} />
            ))}
          </ul>
        </div>
      ))}
    </details>
  );
}

interface LineProps {
  condition: Condition;
  /** Another way has given the role: there is nothing to do about this one. */
  isDone: boolean;
  onCheck(): void;
}

function ConditionLine({ condition: { state, need, found, account }, isDone, onCheck }: LineProps) {
  const { Icon, words } = marks[state];
  return (
    <li className={styles.condition} data-state={state}>
      <Icon size={20} aria-hidden="true" />
      <span className={styles.conditionText}>
        <span className={styles.mark}>{words}:</span> {need}
        {found !== undefined && <small>{found}</small>}
      </span>
      {!isDone && state === 'no-account' && (
        <Anchor component={Link} to="/me">
          {account === 'twitter' ? 'Link X account' : `Link a wallet (${chainWords(account ?? '').name})`}
        </Anchor>
      )}
      {state === 'unknown' && (
        <Button size="compact-sm" variant="default" onClick={onCheck}>
          Check again
        </Button>
      )}
    </li>
  );
}

const marks = {
  met: { Icon: IconCircleCheck, words: 'Met' },
  'not-met': { Icon: IconCircleX, words: 'Not met' },
  'no-account': { Icon: IconUserQuestion, words: 'Nothing linked yet' },
  unknown: { Icon: IconAlertCircle, words: 'Could not be checked' },
} as const;
