import { Link } from '@tanstack/react-router';
import { type ItemOf, usePages } from '../../shared/api/index.ts';
import { EmptyState, PagedList, Section, Time } from '../../shared/ui/index.ts';
import styles from './overview.module.css';

type Entry = ItemOf<'GET /latchkey/communities/{communityId}/activity'>;

/** What happened lately; it grows by itself while roles are written. */
export function Activity({ communityId }: { communityId: string }) {
  const pages = usePages('GET /latchkey/communities/{communityId}/activity', { communityId, limit: 20 });
  return (
    <Section title="Activity" lead="Roles that were given and removed, and what admins did.">
      <PagedList
        pages={pages}
        what="activity"
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="Nothing has happened yet">
            Role changes appear here as they are made, once there is a rule.
          </EmptyState>
        }
      >
        {(entry) => <EntryRow communityId={communityId} entry={entry} />}
      </PagedList>
    </Section>
  );
}

function EntryRow({ communityId, entry }: { communityId: string; entry: Entry }) {
  return (
    <div className={styles.entry}>
      <span className={styles.what}>
        <Sentence communityId={communityId} entry={entry} />
      </span>
      <span className={styles.when}>
        <Time at={entry.time} isRelative />
      </span>
    </div>
  );
}

function Sentence({ communityId, entry }: { communityId: string; entry: Entry }) {
  const { kind, userId, userName, roleName = 'a role', meaning, changeSetId } = entry;
  if (kind === 'admin-action')
    return (
      <>
        <strong>{userId === undefined ? 'The operator' : (userName ?? userId.split('#').at(-1))}</strong>:{' '}
        {meaning ?? entry.action}
      </>
    );
  const who =
    userId === undefined ? (
      'A member'
    ) : (
      <Link to="/communities/$communityId/members/$userId" params={{ communityId, userId }}>
        {userName ?? 'A member'}
      </Link>
    );
  const change = kind === 'role-given' ? 'got' : 'lost';
  return (
    <>
      {who} {change} <strong>{roleName}</strong>
      {changeSetId !== undefined && (
        <>
          {' · '}
          <Link to="/communities/$communityId/role-changes/$changeSetId" params={{ communityId, changeSetId }}>
            why
          </Link>
        </>
      )}
    </>
  );
}
