import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { deleteExpired } from './queries.ts';

const removeExpired = job(
  'hand-overs.remove-expired',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>) => deleteExpired(ctx.db.system, ctx.clock()),
);

export const handOverJobs = [removeExpired] as const;

export const handOverSchedules: readonly Schedule[] = [
  { name: 'hand-overs.remove-expired', cron: '8,23,38,53 * * * *', job: removeExpired },
];
