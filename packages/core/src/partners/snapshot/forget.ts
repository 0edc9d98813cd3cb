import type { Erasure } from '../../shared/module.ts';

/** Deletes who linked a space; the link belongs to the community. */
export const snapshotErasure: Erasure = {
  columns: ['snapshot_links.created_by_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    await tx
      .updateTable('snapshot_links')
      .set({ created_by_id: pseudonym })
      .where('created_by_id', '=', userId)
      .execute();
  },
};
