import type { CallResult } from '@latchkey/client';
import { Fragment, type ReactNode } from 'react';
import { t } from '../../messages/index.ts';
import styles from './roles.module.css';
import { type Line, RuleTree } from './rule-tree.tsx';

type Role = CallResult<'GET /latchkey/account/communities/{communityId}/roles'>['roles'][number];

const tones: Readonly<Record<Role['state'], string>> = {
  kept: 'good',
  coming: 'good',
  going: 'warn',
  missing: 'plain',
  unknown: 'warn',
};

interface RoleCardProps {
  role: Role;
  platform: string;
  action(line: Line): ReactNode;
}

/** One role of a member: whether they have it, what it opens, and what it needs. */
export function RoleCard({ role, platform, action }: RoleCardProps) {
  const isOpen = !role.has || role.state === 'going' || role.paths.some(({ state }) => state === 'unknown');
  return (
    <details className={styles.role} open={isOpen}>
      <summary>
        <RoleDot color={role.color} />
        <span className={styles.roleName} title={role.name}>
          <bdi>{role.name}</bdi>
        </span>{' '}
        <span className={styles.state} data-tone={tones[role.state]}>
          {t(`role.${role.state}`)}
        </span>
        {role.isSuppressed && (
          <span className={styles.state} data-tone="warn">
            {t('role.paused')}
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
  const shown = (
    <Fragment key="places">
      {places.slice(0, mostPlaces).map((place) => (
        <span key={place} className={styles.place} title={place}>
          <bdi>{`${sign}${place}`}</bdi>
        </span>
      ))}
    </Fragment>
  );
  return (
    <p className={styles.opens}>
      {left > 0 ? t.rich('role.opensMore', { places: shown, count: left }) : t.rich('role.opens', { places: shown })}
    </p>
  );
}
