import type { Erasure } from '../../shared/module.ts';

/** Removes the owner of a server that the bot is in. The server stays listed for others who manage it. */
export const arrivalsErasure: Erasure = {
  columns: ['bot_arrivals.owner_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.updateTable('bot_arrivals').set({ owner_id: null }).where('owner_id', '=', userId).execute();
  },
};
