import type { Erasure } from '../../shared/feature.ts';

/** Forgets that the roles of a person are to be looked at. */
export const touchesErasure: Erasure = {
  columns: ['role_touches.user_id'],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('role_touches').where('user_id', '=', userId).execute();
  },
};
