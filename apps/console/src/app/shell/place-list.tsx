import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useScreenParams } from '../../shared/screen.ts';
import type { Place } from './navigation.ts';
import styles from './shell.module.css';

/** These are exact: what lies below them has a place of its own. */
const exact = new Set(['/', '/me', '/operator', '/communities/$communityId']);

export function PlaceList({ title, places }: { title: ReactNode; places: readonly Place[] }) {
  const { communityId } = useScreenParams('communityId');
  return (
    <div className={styles.group}>
      {typeof title === 'string' ? <p className={styles.groupTitle}>{title}</p> : title}
      <ul>
        {places.map(({ to, title: name, icon: PlaceIcon }) => (
          <li key={to}>
            <Link
              to={to}
              params={{ communityId }}
              activeOptions={{ exact: exact.has(to), includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
            >
              <PlaceIcon size={18} stroke={1.75} aria-hidden="true" />
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
