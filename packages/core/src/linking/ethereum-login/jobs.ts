import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { deleteExpired } from './queries.ts';

const removeExpiredChallenges = job(
  'ethereum-login.remove-expired',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>) => deleteExpired(ctx.db.system, ctx.clock()),
);

export const loginJobs = [removeExpiredChallenges] as const;

export const loginSchedules: readonly Schedule[] = [
  { name: 'ethereum-login.remove-expired', cron: '7,22,37,52 * * * *', job: removeExpiredChallenges },
];
