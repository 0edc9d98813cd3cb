import type { Erasure } from '../../shared/module.ts';

/** Deletes the calls of a user's applications. */
export const appCallsErasure: Erasure = {
  columns: ['app_calls.owner_id', 'app_call_days.owner_id', 'app_key_uses.owner_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('app_calls').where('owner_id', '=', userId).execute();
    await tx.deleteFrom('app_call_days').where('owner_id', '=', userId).execute();
    await tx.deleteFrom('app_key_uses').where('owner_id', '=', userId).execute();
  },
};
