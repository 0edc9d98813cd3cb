import type { Erasure } from '../../shared/module.ts';

/** Keeps what was changed and when, but not by whom. */
export const logSettingsErasure: Erasure = {
  columns: ['log_setting_changes.changed_by'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    await tx
      .updateTable('log_setting_changes')
      .set({ changed_by: pseudonym })
      .where('changed_by', '=', userId)
      .execute();
  },
};
