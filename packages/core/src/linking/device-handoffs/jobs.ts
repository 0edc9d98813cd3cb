import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { deleteExpired } from './queries.ts';

const removeExpired = job(
  'handoffs.remove-expired',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>) => deleteExpired(ctx.db.system, ctx.clock()),
);

export const handoffJobs = [removeExpired] as const;

export const handoffSchedules: readonly Schedule[] = [
  { name: 'handoffs.remove-expired', cron: '8,23,38,53 * * * *', job: removeExpired },
];
