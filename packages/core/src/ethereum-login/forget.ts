import type { Erasure } from '../erasures/index.ts';

/** Forgets the messages that wallets of the person were asked to sign in with. */
export const loginErasure: Erasure = {
  columns: ['wallet_challenges.address'],
  stage: 'at-once',
  forget: async (_ctx, tx, { wallets }) => {
    const addresses = wallets.map(({ address }) => address);
    await tx
      .deleteFrom('wallet_challenges')
      .where('address', '=', (eb) => eb.fn.any(eb.val(addresses)))
      .execute();
  },
};
