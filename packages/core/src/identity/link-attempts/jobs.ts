import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { deleteExpiredAttempts } from './queries.ts';

const removeExpired = job(
  'link-attempts.remove-expired',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>) => deleteExpiredAttempts(ctx.db.system, ctx.clock()),
);

export const linkAttemptJobs = [removeExpired] as const;

export const linkAttemptSchedules: readonly Schedule[] = [
  { name: 'link-attempts.remove-expired', cron: '6,21,36,51 * * * *', job: removeExpired },
];
