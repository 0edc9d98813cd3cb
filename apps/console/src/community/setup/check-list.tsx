import { Anchor } from '@mantine/core';
import type { Answer } from '../../shared/api/index.ts';
import {
  type Icon,
  IconAlertTriangle,
  IconCircleCheck,
  IconCirclePlus,
  IconCircleX,
  IconHelpCircle,
} from '../../shared/icons.tsx';
import { webLink } from '../../shared/web-link.ts';
import styles from './setup.module.css';

type Check = Answer<'GET /latchkey/communities/{communityId}/setup'>['checks'][number];

const marks: Readonly<Record<Check['state'], { Mark: Icon; word: string }>> = {
  ok: { Mark: IconCircleCheck, word: 'In place' },
  broken: { Mark: IconCircleX, word: 'Needs fixing' },
  advised: { Mark: IconAlertTriangle, word: 'Recommended' },
  optional: { Mark: IconCirclePlus, word: 'Optional' },
  unknown: { Mark: IconHelpCircle, word: 'Unknown' },
};

/** Everything that was checked: faults first, each with what to press. */
export function CheckList({ checks }: { checks: readonly Check[] }) {
  return (
    <ul className={styles.checks}>
      {checks.map((check) => (
        <li key={check.id}>
          <CheckRow check={check} />
        </li>
      ))}
    </ul>
  );
}

function CheckRow({ check }: { check: Check }) {
  const { Mark, word } = marks[check.state];
  const link = webLink(check.link);
  return (
    <div className={styles.check} data-state={check.state}>
      <Mark size={20} className={styles.mark} aria-label={word} />
      <div className={styles.words}>
        <p className={styles.title}>{check.title}</p>
        <p className={styles.reason}>{check.reason}</p>
        <Positions check={check} />
        {check.remedy !== undefined && (
          <p className={styles.remedy}>
            {check.remedy}{' '}
            {link !== undefined && (
              <Anchor href={link} target="_blank" rel="noopener noreferrer">
                Open it
              </Anchor>
            )}
          </p>
        )}
      </div>
    </div>
  );
}

function Positions({ check }: { check: Check }) {
  const { roleName, rolePosition, botRoleName, botRolePosition } = check;
  if (botRolePosition === undefined) return null;
  const bot = `the bot’s role “${botRoleName}” is number ${botRolePosition} from the bottom`;
  return (
    <p className={styles.reason}>
      {rolePosition === undefined
        ? `${bot[0]?.toUpperCase()}${bot.slice(1)}.`
        : `“${roleName}” is number ${rolePosition}, ${bot}.`}
    </p>
  );
}
