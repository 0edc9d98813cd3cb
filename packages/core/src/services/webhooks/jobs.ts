import { addDays, job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { deliver } from './deliver.ts';
import { fanOut } from './emit.ts';
import { deleteOldEvents, deleteRetiredEndpoints } from './queries.ts';

const keepDays = 30;
const batchSize = 5_000;

/** Deletes events that can no longer be resent, and endpoints of long-deleted applications. */
export const removeOld = job(
  'webhooks.remove-old',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>, _payload, { signal }) => {
    const before = addDays(ctx.clock(), -keepDays);
    // In batches, so that no statement holds many locks or exceeds its timeout.
    while (!signal.aborted && (await deleteOldEvents(ctx.db.system, before, batchSize)) === batchSize);
    await deleteRetiredEndpoints(ctx.db.system, before);
  },
);

export const webhookJobs = [fanOut, deliver, removeOld] as const;

export const webhookSchedules: readonly Schedule[] = [
  { name: 'webhooks.remove-old', cron: '17 3 * * *', job: removeOld },
];
