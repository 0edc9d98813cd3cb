import type { Erasure } from '../../shared/module.ts';

/** Forgets that the roles of a person are to be looked at. */
export const reconcileQueueErasure: Erasure = {
  columns: ['reconcile_queue.user_id'],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('reconcile_queue').where('user_id', '=', userId).execute();
  },
};
