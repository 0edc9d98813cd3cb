import type { Erasure } from '../../shared/module.ts';

/** Deletes a person's memberships. A chat platform where the person still is a member will report them again. */
export const membershipsErasure: Erasure = {
  columns: ['community_members.user_id', 'community_members.user_name'],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('community_members').where('user_id', '=', userId).execute();
  },
};
