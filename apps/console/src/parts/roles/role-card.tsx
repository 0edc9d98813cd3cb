import type { CallResult } from '@latchkey/client';
import type { ReactNode } from 'react';
import styles from './roles.module.css';
import { type Line, RuleTree } from './rule-tree.tsx';

type Role = CallResult<'GET /latchkey/account/communities/{communityId}/roles'>['roles'][number];

const states: Readonly<Record<Role['state'], { tone: string; words: string }>> = {
  kept: { tone: 'good', words: 'You have it' },
  coming: { tone: 'good', words: 'You qualify' },
  going: { tone: 'warn', words: 'You no longer qualify' },
  missing: { tone: 'plain', words: 'Not yet' },
  unknown: { tone: 'warn', words: 'Could not be checked' },
};

interface RoleCardProps {
  role: Role;
  platform: string;
  action(line: Line): ReactNode;
}

/** One role of a member: whether they have it, what it opens, and what it needs. */
export function RoleCard({ role, platform, action }: RoleCardProps) {
  const { tone, words } = states[role.state];
  const isOpen = !role.has || role.state === 'going' || role.paths.some(({ state }) => state === 'unknown');
  return (
    <details className={styles.role} open={isOpen}>
      <summary>
        <RoleDot color={role.color} />
        <span className={styles.roleName} title={role.name}>
          <bdi>{role.name}</bdi>
        </span>{' '}
        <span className={styles.state} data-tone={tone}>
          {words}
        </span>
        {role.isSuppressed && (
          <span className={styles.state} data-tone="warn">
            Paused by an admin
          </span>
        )}
      </summary>
      <Opens places={role.opens} platform={platform} />
      <RuleTree role={role} action={action} />
    </details>
  );
}

/** The colour of a role on the platform; a ring where it has none. */
export function RoleDot({ color }: { color: number | undefined }) {
  // Discord writes "no colour" as 0.
  const isColored = color !== undefined && color > 0 && color <= 0xffffff;
  return (
    <span
      className={styles.dot}
      style={isColored ? { background: `#${color.toString(16).padStart(6, '0')}` } : {}}
      aria-hidden="true"
    />
  );
}

const mostPlaces = 6;

function Opens({ places, platform }: { places: readonly string[]; platform: string }) {
  if (places.length === 0) return null;
  const sign = platform === 'discord' ? '#' : '';
  const left = places.length - mostPlaces;
  return (
    <p className={styles.opens}>
      Opens{' '}
      {places.slice(0, mostPlaces).map((place) => (
        <span key={place} className={styles.place} title={place}>
          {sign}
          <bdi>{place}</bdi>
        </span>
      ))}
      {left > 0 && ` and ${left.toLocaleString()} more`}
    </p>
  );
}
