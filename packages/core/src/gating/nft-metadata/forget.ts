import type { Erasure } from '../../shared/module.ts';

/**
 * Deletes who described contracts and tokens, or may. The descriptions are public and belong to the holders, so they
 * stay.
 */
export const nftMetadataErasure: Erasure = {
  columns: ['nft_contract_metadata.created_by_id', 'nft_token_metadata.created_by_id', 'nft_describers.describer_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    for (const table of ['nft_contract_metadata', 'nft_token_metadata'] as const)
      await tx.updateTable(table).set({ created_by_id: pseudonym }).where('created_by_id', '=', userId).execute();
    await tx.deleteFrom('nft_describers').where('describer_id', '=', userId).execute();
  },
};
