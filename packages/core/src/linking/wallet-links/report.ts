import { sql, type Tx } from '@latchkey/db';
import { communityStates } from '../../communities/community-records/index.ts';
import { selectCommunitiesOf } from '../../communities/memberships/index.ts';
import { appendEvents } from '../../services/event-log/index.ts';
import type { Context } from '../../shared/context.ts';

/**
 * Reports that a user linked or unlinked a wallet, to one community or to all that the user is in. The address is not
 * part of it, so that nothing remains of a wallet that is unlinked.
 */
export async function reportLink(
  ctx: Pick<Context, 'clock' | 'random'>,
  tx: Tx,
  type: 'member.wallet-linked' | 'member.wallet-unlinked',
  userId: string,
  communityId?: string,
): Promise<void> {
  const ids =
    communityId === undefined
      ? (await selectCommunitiesOf(tx, [userId])).map(({ community_id }) => community_id)
      : [communityId];
  const { rows } = await sql<{ id: string; owner_id: string }>`
    select id, owner_id from (${communityStates}) c where id = any(${ids}) order by id`.execute(tx);
  const events = rows.map((community) => ({ community, memberId: userId }));
  await appendEvents(ctx, tx, type, events);
}
