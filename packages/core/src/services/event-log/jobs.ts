import { addDays, job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { removeOld, selectWithOld } from './queries.ts';

export const keptDays = 30;
const batchSize = 5_000;
const communitiesAtOnce = 100;

/** Removes events that are older than readers can ask for. */
const removeOldEvents = job(
  'event-log.remove-old',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>, _payload, { signal }) => {
    const before = addDays(ctx.clock(), -keptDays);
    for (;;) {
      const communities = await selectWithOld(ctx.db.system, before, communitiesAtOnce);
      for (const id of communities) {
        // In batches, so that no statement holds many locks or exceeds its timeout.
        const removeSome = () => ctx.db.transaction('system', (tx) => removeOld(tx, id, before, batchSize));
        while (!signal.aborted && (await removeSome()) === batchSize);
      }
      if (signal.aborted || communities.length < communitiesAtOnce) return;
    }
  },
);

export const eventLogJobs = [removeOldEvents] as const;

export const eventLogSchedules: readonly Schedule[] = [
  { name: 'event-log.remove-old', cron: '41 3 * * *', job: removeOldEvents },
];
