import { enqueue } from '@latchkey/db';
import type { Erasure } from '../../machinery/erasures/index.ts';
import './permission-queries.ts';
import { withdrawApp } from './sync-jobs.ts';

/** Deletes the mini-apps of a person, which are taken out of the communities that have them, and what the person was asked. */
export const miniAppsErasure: Erasure = {
  columns: ['mini_apps.created_by_id', 'permission_questions.user_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    const gone = await tx.deleteFrom('mini_apps').where('created_by_id', '=', userId).returning('id').execute();
    await tx.deleteFrom('permission_questions').where('user_id', '=', userId).execute();
    for (const { id } of gone) await enqueue(tx, withdrawApp, { appId: id }, { key: id });
  },
};
