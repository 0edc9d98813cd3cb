import type { Erasure } from '../../shared/module.ts';

/** Deletes who an expense was for. The expense itself still counts. */
export const spendingErasure: Erasure = {
  columns: ['spendings.caller_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    await tx.updateTable('spendings').set({ caller_id: pseudonym }).where('caller_id', '=', userId).execute();
  },
};
