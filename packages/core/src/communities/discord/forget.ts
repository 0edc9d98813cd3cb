import type { Erasure } from '../../machinery/erasures/index.ts';

/** Ends what a person began with a mini-app and could still go on for some minutes. */
export const discordErasure: Erasure = {
  columns: ['discord_interactions.user_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('discord_interactions').where('user_id', '=', userId).execute();
  },
};
