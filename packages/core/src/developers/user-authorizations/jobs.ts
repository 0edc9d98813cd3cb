import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { deleteExpiredDecisions } from './queries.ts';

const batchSize = 5_000;

const removeExpired = job(
  'user-authorizations.remove-expired',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>, _payload, { signal }) => {
    while (!signal.aborted && (await deleteExpiredDecisions(ctx.db.system, ctx.clock(), batchSize)) === batchSize);
  },
);

export const userAuthorizationJobs = [removeExpired] as const;

export const userAuthorizationSchedules: readonly Schedule[] = [
  { name: 'user-authorizations.remove-expired', cron: '29 * * * *', job: removeExpired },
];
