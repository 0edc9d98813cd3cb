import { Link } from '@tanstack/react-router';
import { type ItemOf, usePages } from '../../shared/api/index.ts';
import { Why } from '../../shared/reasons/index.ts';
import { EmptyState, PagedList, Section, State, Time, type Tone } from '../../shared/ui/index.ts';
import styles from './member.module.css';

type Event = ItemOf<'GET /latchkey/communities/{communityId}/members/{userId}/timeline'>;

const tones: Readonly<Record<Event['kind'], [string, Tone]>> = {
  'role-given': ['Given', 'good'],
  'role-taken': ['Taken', 'bad'],
  'wallet-linked': ['Wallet', 'plain'],
  'guest-pass': ['Guest pass', 'plain'],
  'guest-pass-ended': ['Guest pass', 'plain'],
  action: ['Action', 'plain'],
};

/** What happened to the member, newest first. */
export function Timeline({ communityId, userId }: { communityId: string; userId: string }) {
  const events = usePages('GET /latchkey/communities/{communityId}/members/{userId}/timeline', { communityId, userId });
  return (
    <Section title="What happened" lead="Roles that Latchkey gave and took, wallets and guest passes, newest first.">
      <PagedList
        pages={events}
        what="events"
        keyOf={({ id }) => id}
        empty={<EmptyState title="Nothing yet">Role changes appear here as Latchkey makes them.</EmptyState>}
      >
        {(event) => <OneEvent communityId={communityId} event={event} />}
      </PagedList>
    </Section>
  );
}

function OneEvent({ communityId, event }: { communityId: string; event: Event }) {
  const [word, tone] = tones[event.kind];
  return (
    <div className={styles.event}>
      <p>
        <State tone={tone}>{word}</State> {event.text}
        {event.by !== undefined && ` · decided by ${event.by}`}{' '}
        <span className={styles.time}>
          <Time at={event.time} />
        </span>
      </p>
      <Why
        words={event.words}
        lines={event.lines}
        blocks={Object.fromEntries((event.blocks ?? []).map(({ chain, block }) => [chain, block]))}
        about={event.text}
      />
      {event.changeSetId !== undefined && (
        <Link
          className={styles.time}
          to="/communities/$communityId/role-changes/$changeSetId"
          params={{ communityId, changeSetId: event.changeSetId }}
        >
          See all changes of that time
        </Link>
      )}
    </div>
  );
}
