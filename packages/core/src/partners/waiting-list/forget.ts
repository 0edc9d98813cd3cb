import type { Erasure } from '../../shared/module.ts';

/** Deletes that a user is on the list or was invited. The chain only has a hash that cannot be linked to anyone. */
export const waitingListErasure: Erasure = {
  columns: ['waiting_list_guests.user_id', 'waiting_list_members.user_id', 'paymaster_grants.owner'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, wallets }) => {
    await tx.deleteFrom('waiting_list_guests').where('user_id', '=', userId).execute();
    await tx.deleteFrom('waiting_list_members').where('user_id', '=', userId).execute();
    const owners = wallets.map(({ address }) => address.toLowerCase());
    await tx
      .deleteFrom('paymaster_grants')
      .where('owner', '=', (eb) => eb.fn.any(eb.val(owners)))
      .execute();
  },
};
