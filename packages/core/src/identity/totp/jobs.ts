import { addSeconds, job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { deleteRetired, retireExpired } from './queries.ts';

const retiredTtlSeconds = 24 * 60 * 60;

export const removeExpiredEnrolments = job(
  'totp.remove-expired',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>) => {
    const now = ctx.clock();
    await retireExpired(ctx.db.system, now);
    await deleteRetired(ctx.db.system, addSeconds(now, -retiredTtlSeconds));
  },
);

export const totpJobs = [removeExpiredEnrolments] as const;

export const totpSchedules: readonly Schedule[] = [
  { name: 'totp.remove-expired', cron: '37 * * * *', job: removeExpiredEnrolments },
];
