import { addSeconds, job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { deleteGrantsBefore } from './queries.ts';

const keptSeconds = 2 * 24 * 60 * 60;

export const removeOldGrants = job(
  'waiting-list.remove-old-grants',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>) => {
    await deleteGrantsBefore(ctx.db.system, addSeconds(ctx.clock(), -keptSeconds));
  },
);

export const waitingListJobs = [removeOldGrants] as const;

export const waitingListSchedules: readonly Schedule[] = [
  { name: 'waiting-list.remove-old-grants', cron: '53 3 * * *', job: removeOldGrants },
];
