import { enqueue } from '@latchkey/db';
import type { Erasure } from '../erasures/index.ts';
import { withdrawApp } from './sync-jobs.ts';

/** Deletes the mini-apps of a person; they are taken out of the communities that have them. */
export const miniAppsErasure: Erasure = {
  columns: ['mini_apps.created_by_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    const gone = await tx.deleteFrom('mini_apps').where('created_by_id', '=', userId).returning('id').execute();
    for (const { id } of gone) await enqueue(tx, withdrawApp, { appId: id }, { key: id });
  },
};
