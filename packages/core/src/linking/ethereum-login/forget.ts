import type { Erasure } from '../../shared/module.ts';

/** Deletes the sign-in messages that were issued for the user's wallets. */
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
