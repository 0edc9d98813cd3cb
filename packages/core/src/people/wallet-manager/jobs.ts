import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { deleteExpiredSteps } from './queries.ts';
import { recheckSigners } from './recheck-signers.ts';

const nothing = shape(T.Record(T.String(), T.Never()));

const removeExpired = job(
  'wallet-manager.remove-expired',
  { payload: nothing },
  async (ctx: Pick<Context, 'clock' | 'db'>) => deleteExpiredSteps(ctx.db.system, ctx.clock()),
);

const recheckSignersJob = job(
  'wallet-manager.recheck-signers',
  { payload: nothing },
  async (ctx: Context, _, { signal }) => {
    const ended = await recheckSigners(ctx, signal);
    if (ended > 0) ctx.log.info('Contract wallets were unlinked: their signers no longer speak for them.', { ended });
  },
);

export const walletManagerJobs = [removeExpired, recheckSignersJob] as const;

export const walletManagerSchedules: readonly Schedule[] = [
  { name: 'wallet-manager.remove-expired', cron: '4,19,34,49 * * * *', job: removeExpired },
  { name: 'wallet-manager.recheck-signers', cron: '2,7,12,17,22,27,32,37,42,47,52,57 * * * *', job: recheckSignersJob },
];
