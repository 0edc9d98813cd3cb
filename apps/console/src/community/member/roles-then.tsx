import { useOperation } from '../../shared/api/index.ts';
import { ReasonTree } from '../../shared/reasons/index.ts';
import { EmptyState, Failure, Loading, State, Time } from '../../shared/ui/index.ts';
import styles from './member.module.css';
import { Blocks } from './roles-now.tsx';

/** What Latchkey had given and taken by a moment, by its records. */
export function RolesThen({
  communityId,
  userId,
  at,
}: {
  communityId: string;
  userId: string;
  at: string | undefined;
}) {
  const then = useOperation(
    'GET /latchkey/communities/{communityId}/members/{userId}/roles-at',
    { communityId, userId, ...(at !== undefined && { at }) },
    { keepsPrevious: true },
  );
  if (then.isLoading) return <Loading what="the records" />;
  if (then.error !== null) return <Failure error={then.error} onRetry={() => void then.refetch()} />;
  if (then.data === undefined || then.data.roles.length === 0)
    return (
      <EmptyState title="Latchkey had changed nothing by then">
        Roles that were given by hand on the platform are not in these records.
      </EmptyState>
    );
  return (
    <ul className={styles.roles} aria-busy={then.isPlaceholderData}>
      {then.data.roles.map(({ roleId, roleName, had, entry }) => (
        <li key={roleId}>
          <h3>
            {roleName ?? `Role ${roleId}`}{' '}
            <State tone={had ? 'good' : 'plain'}>{had ? 'Had it' : 'Did not have it'}</State>
          </h3>
          <p className={styles.note}>
            {had ? 'Given' : 'Taken'} <Time at={entry.time} />
          </p>
          <ReasonTree lines={entry.lines} />
          <Blocks blocks={entry.blocks} />
        </li>
      ))}
    </ul>
  );
}
