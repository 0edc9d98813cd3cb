import { addDays, job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { keepDaysDays, keepLinesDays } from './call.ts';
import { deleteOldCalls, deleteOldDays } from './queries.ts';

const batchSize = 5_000;

/** Removes lines and daily statistics that are no longer shown. */
const removeOldCalls = job(
  'app-calls.remove-old',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>, _payload, { signal }) => {
    const before = (days: number) => addDays(ctx.clock(), -days);
    while (!signal.aborted && (await deleteOldCalls(ctx.db.system, before(keepLinesDays), batchSize)) === batchSize);
    await deleteOldDays(ctx.db.system, before(keepDaysDays));
  },
);

export const appCallJobs = [removeOldCalls] as const;

export const appCallSchedules: readonly Schedule[] = [
  { name: 'app-calls.remove-old', cron: '41 * * * *', job: removeOldCalls },
];
