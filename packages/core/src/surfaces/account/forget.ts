import { deleteJobsNaming } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';

/** Deletes the jobs that contain a person's id, or those of their apps or wallets. */
export const tracesErasure: Erasure = {
  columns: ['jobs.payload', 'account_erasures.user_id'],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId, clientIds, wallets }) => {
    const callers = [userId, ...clientIds.map((id) => `$app/${id}`)];
    await deleteJobsNaming(tx, [...callers, ...clientIds, ...wallets.map(({ address }) => address)]);
  },
};
