import type { Erasure } from '../../shared/module.ts';

/** Deletes who made a transfer. The transfer itself is public on its chain. */
export const treasuriesErasure: Erasure = {
  columns: ['treasury_actions.asked_by_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    await tx
      .updateTable('treasury_actions')
      .set({ asked_by_id: pseudonym })
      .where('asked_by_id', '=', userId)
      .execute();
  },
};
