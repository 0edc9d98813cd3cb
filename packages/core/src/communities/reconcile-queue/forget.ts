import type { Erasure } from '../../shared/module.ts';

/** Removes the queued role check of a person. */
export const reconcileQueueErasure: Erasure = {
  columns: ['reconcile_queue.user_id'],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('reconcile_queue').where('user_id', '=', userId).execute();
  },
};
