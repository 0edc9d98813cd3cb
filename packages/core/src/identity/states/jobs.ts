import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { deleteExpired } from './queries.ts';

const batchSize = 5_000;

export const removeExpiredSlugs = job(
  'states.remove-expired',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>, _payload, { signal }) => {
    // In batches, so that no statement holds many locks or exceeds its timeout.
    while (!signal.aborted && (await deleteExpired(ctx.db.system, ctx.clock(), batchSize)) === batchSize);
  },
);

export const stateJobs = [removeExpiredSlugs] as const;

export const stateSchedules: readonly Schedule[] = [
  { name: 'states.remove-expired', cron: '17 * * * *', job: removeExpiredSlugs },
];
