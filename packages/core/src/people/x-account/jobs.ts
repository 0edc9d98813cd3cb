import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { deleteExpiredAttempts } from './queries.ts';

const removeExpired = job(
  'x-account.remove-expired',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>) => deleteExpiredAttempts(ctx.db.system, ctx.clock()),
);

export const xAccountJobs = [removeExpired] as const;

export const xAccountSchedules: readonly Schedule[] = [
  { name: 'x-account.remove-expired', cron: '6,21,36,51 * * * *', job: removeExpired },
];
