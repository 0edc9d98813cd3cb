import type { Erasure } from '../../shared/module.ts';

/** Deletes the kudos that a user gave and received: their credentials name both sides and cannot be changed. */
export const kudosErasure: Erasure = {
  columns: ['kudos.from_user_id', 'kudos.to_user_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx
      .deleteFrom('kudos')
      .where((eb) => eb.or([eb('from_user_id', '=', userId), eb('to_user_id', '=', userId)]))
      .execute();
  },
};
