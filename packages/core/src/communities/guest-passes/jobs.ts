import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { expireGuestPasses } from './expire.ts';

export const expirePasses = job(
  'guest-passes.expire',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>, _payload, { signal }) => {
    await expireGuestPasses(ctx, signal);
  },
);

export const guestPassJobs = [expirePasses] as const;

export const guestPassSchedules: readonly Schedule[] = [
  { name: 'guest-passes.expire', cron: '* * * * *', job: expirePasses },
];
