import { sql } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';
import { communityStates, giveToHeirs } from '../community-records/index.ts';

/**
 * Removes a person from the communities that they managed. A community belongs to its members, so it stays: the
 * longest-serving admin becomes its owner and the sponsor of the admins that the person had added, and is then an admin
 * only if the platform confirms it. Without such an admin, the community is paused until the operator transfers it.
 */
export const accessErasure: Erasure = {
  columns: [
    'communities.owner_id',
    'community_admins.user_id',
    'community_admins.named_by',
    'community_access.granted_by_id',
  ],
  stage: 'at-once',
  forget: async (ctx, tx, { userId, pseudonym }) => {
    await tx.deleteFrom('community_admins').where('user_id', '=', userId).execute();
    await giveToHeirs(
      tx,
      userId,
      (communityId) => sql<{ user_id: string }>`
        select user_id from community_admins where community_id = ${communityId} order by added_at, user_id limit 1`,
      ctx.clock(),
    );
    await sql`
      update community_admins a set named_by = nullif(c.owner_id, a.user_id)
      from (${communityStates}) c where c.id = a.community_id and a.named_by = ${userId}`.execute(tx);
    await tx
      .updateTable('community_access')
      .set({ granted_by_id: pseudonym })
      .where('granted_by_id', '=', userId)
      .execute();
  },
};
