import { Link } from '@tanstack/react-router';
import { type ItemOf, usePages } from '../../shared/api/index.ts';
import { Why } from '../../shared/reasons/index.ts';
import { EmptyState, PagedList, Picture, Row, Section, State } from '../../shared/ui/index.ts';
import styles from './shadow-mode.module.css';
import { sayDay } from './use-shadow.ts';

const list = 'GET /latchkey/communities/{communityId}/shadow-mode/differences';

/** Who would have another role if the rules decided, on one day, and why. */
export function Differences({ communityId, day }: { communityId: string; day: string }) {
  const differences = usePages(list, { communityId, day, limit: 50 });
  return (
    <Section title={`Members on ${sayDay(day)}`}>
      <PagedList
        pages={differences}
        what="differences"
        keyOf={({ userId, roleId }) => `${userId} ${roleId}`}
        empty={<EmptyState title="Nothing differs any more">A later check on this day found no difference.</EmptyState>}
      >
        {(difference) => <Difference communityId={communityId} difference={difference} />}
      </PagedList>
    </Section>
  );
}

function Difference({ communityId, difference }: { communityId: string; difference: ItemOf<typeof list> }) {
  const { userId, userName, roleId, roleName, action, words, lines } = difference;
  const native = userId.split('#').at(-1) ?? userId;
  const name = userName ?? native;
  const role = roleName ?? `role ${roleId}`;
  const what = action === 'grant' ? `would get ${role}` : `would lose ${role}`;
  return (
    <div className={styles.difference}>
      <Row
        picture={<Picture name={name} size={24} />}
        title={
          <>
            <Link
              className={styles.name}
              to="/communities/$communityId/members/$userId"
              params={{ communityId, userId: native }}
              title={name}
            >
              {name}
            </Link>{' '}
            {what}
          </>
        }
        states={<State tone={action === 'grant' ? 'good' : 'bad'}>{action === 'grant' ? 'Gain' : 'Lose'}</State>}
      />
      <Why words={words} lines={lines} about={`${name} ${what}`} />
    </div>
  );
}
