import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { deleteExpiredSteps } from './queries.ts';

const removeExpired = job(
  'wallet-manager.remove-expired',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>) => deleteExpiredSteps(ctx.db.system, ctx.clock()),
);

export const walletManagerJobs = [removeExpired] as const;

export const walletManagerSchedules: readonly Schedule[] = [
  { name: 'wallet-manager.remove-expired', cron: '4,19,34,49 * * * *', job: removeExpired },
];
