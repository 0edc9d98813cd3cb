import { addSeconds, job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { postProposal } from './post-proposal.ts';
import { deleteEventsBefore } from './queries.ts';
import { maxAgeSeconds } from './take-event.ts';

export const removeOldSnapshotEvents = job(
  'snapshot.remove-old-events',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>) => {
    await deleteEventsBefore(ctx.db.system, addSeconds(ctx.clock(), -5 * maxAgeSeconds));
  },
);

export const snapshotJobs = [postProposal, removeOldSnapshotEvents] as const;

export const snapshotSchedules: readonly Schedule[] = [
  { name: 'snapshot.remove-old-events', cron: '41 3 * * *', job: removeOldSnapshotEvents },
];
