import { enqueueMany } from '@latchkey/db';
import { exponentialRetry, job, type Schedule, shape, T, text } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { endJob } from './end-job.ts';
import { claimDue, deleteEndingsBefore, takeChanged } from './queries.ts';
import { updateValues } from './update-values.ts';

export const updateJob = job(
  'linked-roles.update',
  {
    payload: shape(T.Object({ userId: text('Whose values.', { maxLength: 128 }) })),
    retry: exponentialRetry(10, 10, 3600),
  },
  (ctx: Context, { userId }, { signal }) => updateValues(ctx, userId, signal),
);

const atOnce = 2000;
const daySeconds = 24 * 3600;
/** After so long a token that could not be revoked is forgotten. */
const keptSeconds = 30 * daySeconds;

/** Those of whom something changed, and those whom nobody looked at for a day: leaving a server changes no role here. */
export async function findDue(ctx: Pick<Context, 'clock' | 'db' | 'linkedRoles'>): Promise<void> {
  const now = ctx.clock();
  const tomorrow = new Date(now.getTime() + daySeconds * 1000);
  await ctx.db.transaction('system', async (tx) => {
    const changed = await takeChanged(tx, atOnce);
    // Changes do not pile up without an application; whoever is connected is due when there is one again.
    if (ctx.linkedRoles === undefined) return;
    const due = await claimDue(tx, now, tomorrow, atOnce);
    const jobs = [...new Set([...changed, ...due])].map((userId) => ({ payload: { userId }, uniqueKey: userId }));
    await enqueueMany(tx, updateJob, jobs);
  });
}

const nothing = shape(T.Record(T.String(), T.Never()));
const findDueJob = job('linked-roles.find-due', { payload: nothing }, findDue);
const removeOldJob = job('linked-roles.remove-old', { payload: nothing }, (ctx: Pick<Context, 'clock' | 'db'>) =>
  deleteEndingsBefore(ctx.db.system, new Date(ctx.clock().getTime() - keptSeconds * 1000)),
);

export const linkedRoleJobs = [updateJob, endJob, findDueJob, removeOldJob] as const;

export const linkedRoleSchedules: readonly Schedule[] = [
  { name: findDueJob.name, cron: '* * * * *', job: findDueJob },
  { name: removeOldJob.name, cron: '47 3 * * *', job: removeOldJob },
];
