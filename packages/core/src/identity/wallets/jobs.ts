import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { deleteExpiredLinkChallenges } from './challenge-queries.ts';

const removeExpired = job(
  'wallets.remove-expired-challenges',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>) => deleteExpiredLinkChallenges(ctx.db.system, ctx.clock()),
);

export const walletJobs = [removeExpired] as const;

export const walletSchedules: readonly Schedule[] = [
  { name: 'wallets.remove-expired-challenges', cron: '3,18,33,48 * * * *', job: removeExpired },
];
