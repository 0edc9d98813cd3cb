import type { Erasure } from '../../shared/module.ts';

/** Forgets where a person is a member. A chat platform that still shows the person will tell of it again. */
export const membershipsErasure: Erasure = {
  columns: ['community_members.user_id', 'community_members.user_name'],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('community_members').where('user_id', '=', userId).execute();
  },
};
