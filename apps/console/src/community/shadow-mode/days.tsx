import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { EmptyState, Section } from '../../shared/ui/index.ts';
import styles from './shadow-mode.module.css';
import { counted, formatDay, type ShadowMode } from './use-shadow.ts';

const firstShown = 7;

/** How far roles were from the rules on each day. */
export function Days({
  days,
  chosen,
  members,
}: {
  days: ShadowMode['days'];
  chosen: string;
  members: number | undefined;
}) {
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
                    ? counted(concerned, 'member', 'members')
                    : `${concerned.toLocaleString()} of ${counted(members, 'member', 'members')}`}
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
