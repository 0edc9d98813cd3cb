import type { Erasure } from '../../shared/module.ts';

/** Forgets the messages that wallets of the person were asked to sign in with. */
export const loginErasure: Erasure = {
  columns: ['wallet_challenges.address', 'wallet_challenges.account_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, wallets }) => {
    const addresses = wallets.map(({ address }) => address);
    await tx
      .deleteFrom('wallet_challenges')
      .where((eb) => eb.or([eb('address', '=', eb.fn.any(eb.val(addresses))), eb('account_id', '=', userId)]))
      .execute();
  },
};
