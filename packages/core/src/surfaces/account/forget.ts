import { deleteJobsNaming } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';

/** Forgets the jobs that name a person, or the person's apps or wallets. */
export const tracesErasure: Erasure = {
  columns: ['jobs.payload', 'account_erasures.user_id'],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId, clientIds, wallets }) => {
    const callers = [userId, ...clientIds.map((id) => `$app/${id}`)];
    await deleteJobsNaming(tx, [...callers, ...clientIds, ...wallets.map(({ address }) => address)]);
  },
};
