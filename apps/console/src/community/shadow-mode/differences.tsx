import { type ItemOf, usePages } from '../../shared/api/index.ts';
import { MemberChange } from '../../shared/member-change.tsx';
import { EmptyState, PagedList, Section, State } from '../../shared/ui/index.ts';
import { formatDay } from './use-shadow.ts';

const list = 'GET /latchkey/communities/{communityId}/shadow-mode/differences';

/** Who would have another role if the rules decided, on one day, and why. */
export function Differences({ communityId, day }: { communityId: string; day: string }) {
  const differences = usePages(list, { communityId, day, limit: 50 });
  return (
    <Section title={`Members on ${formatDay(day)}`}>
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
  const isGain = difference.action === 'grant';
  return (
    <MemberChange
      communityId={communityId}
      change={difference}
      verb={isGain ? 'would get' : 'would lose'}
      state={<State tone={isGain ? 'good' : 'bad'}>{isGain ? 'Gain' : 'Lose'}</State>}
    />
  );
}
