import type { Erasure } from '../../shared/module.ts';

/**
 * Deletes who owned accounts and contracts, and what users signed. Data on the chain stays public; transactions that
 * this server signed itself are kept, so that none is sent twice.
 */
export const nearNftErasure: Erasure = {
  columns: [
    'near_contracts.created_by_id',
    'near_contracts.owner',
    'near_transactions.created_by_id',
    'near_transactions.signer_id',
    'near_intents.created_by_id',
    'near_accounts.created_by_id',
    'near_accounts.account_id',
    'near_sign_in_sessions.created_by_id',
  ],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    for (const table of ['near_intents', 'near_accounts', 'near_sign_in_sessions'] as const)
      await tx.deleteFrom(table).where('created_by_id', '=', userId).execute();
    // Without a purpose: a user signed it with their own key.
    await tx.deleteFrom('near_transactions').where('created_by_id', '=', userId).where('purpose', 'is', null).execute();
    await tx
      .updateTable('near_transactions')
      .set({ created_by_id: pseudonym })
      .where('created_by_id', '=', userId)
      .execute();
    await tx
      .updateTable('near_contracts')
      .set({ created_by_id: pseudonym, owner: null })
      .where('created_by_id', '=', userId)
      .execute();
  },
};
