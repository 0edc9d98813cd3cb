import { Text } from '@mantine/core';
import type { ItemOf } from '../../shared/api/index.ts';
import { MemberChange } from '../../shared/member-change.tsx';
import { State, type Tone } from '../../shared/ui/index.ts';

type Item = ItemOf<'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}'>;

const states: Readonly<Record<Item['state'], [string, Tone]>> = {
  planned: ['Waits', 'plain'],
  pending: ['Being applied', 'plain'],
  sent: ['Being applied', 'plain'],
  confirmed: ['Done', 'good'],
  failed: ['Refused', 'bad'],
  gone: ['Member left', 'plain'],
  dropped: ['Not needed', 'plain'],
};

/** One role of one member: gained or lost, how far it is, and why. */
export function Change({ communityId, change }: { communityId: string; change: Item }) {
  const [word, tone] = states[change.state];
  return (
    <MemberChange
      communityId={communityId}
      change={change}
      verb={change.action === 'grant' ? 'gets' : 'loses'}
      state={<State tone={tone}>{word}</State>}
    >
      {change.error !== undefined && (
        <Text size="sm" c="var(--bad)">
          {change.error}
        </Text>
      )}
    </MemberChange>
  );
}
