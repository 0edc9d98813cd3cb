import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { deleteExpired } from './queries.ts';

const batchSize = 2_000;

const removeExpired = job(
  'oauth2.remove-expired',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>, _payload, { signal }) => {
    for (const table of ['oauth_artifacts', 'oauth_grants'] as const)
      while (!signal.aborted && (await deleteExpired(ctx.db.system, table, ctx.clock(), batchSize)) === batchSize);
  },
);

export const oauth2Jobs = [removeExpired] as const;

export const oauth2Schedules: readonly Schedule[] = [
  { name: 'oauth2.remove-expired', cron: '23 * * * *', job: removeExpired },
];
