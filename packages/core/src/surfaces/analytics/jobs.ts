import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { countToday } from './day-queries.ts';

/** Records how many members each community has, for charts. */
export const countMembers = job(
  'analytics.count-members',
  { payload: shape(T.Record(T.String(), T.Never())) },
  (ctx: Pick<Context, 'clock' | 'db'>) => countToday(ctx.db.system, ctx.clock()),
);

export const analyticsJobs = [countMembers] as const;

export const analyticsSchedules: readonly Schedule[] = [
  { name: 'analytics.count-members', cron: '51 * * * *', job: countMembers },
];
