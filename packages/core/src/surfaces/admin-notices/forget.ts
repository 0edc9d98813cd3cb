import type { Erasure } from '../../shared/module.ts';

/** Deletes which messages a person got as an admin. The messages themselves stay on the platform. */
export const adminNoticesErasure: Erasure = {
  columns: ['admin_notice_messages.recipient'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('admin_notice_messages').where('recipient', '=', userId).execute();
  },
};
