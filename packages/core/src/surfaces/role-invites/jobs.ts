import { enqueueMany } from '@latchkey/db';
import { addSeconds, exponentialRetry, job, type Schedule, shape, T, text } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { checkInvite } from './check.ts';
import { claimDue, deleteOldInvites } from './queries.ts';

const checkOne = job(
  'role-invites.check',
  {
    payload: shape(T.Object({ id: text('Which invite.', { maxLength: 64 }) })),
    retry: exponentialRetry(4, 15, 120),
  },
  (ctx: Context, { id }) => checkInvite(ctx, id),
);

const nothing = shape(T.Record(T.String(), T.Never()));
const atOnce = 500;
/** What a check does not settle by then is due again. */
const claimedSeconds = 60;

/** Finds invites that are due. */
export async function claimDueInvites(ctx: Pick<Context, 'clock' | 'db'>): Promise<string[]> {
  const now = ctx.clock();
  return claimDue(ctx.db.system, now, addSeconds(now, claimedSeconds), atOnce);
}

const checkDue = job('role-invites.check-due', { payload: nothing }, async (ctx: Pick<Context, 'clock' | 'db'>) => {
  const jobs = (await claimDueInvites(ctx)).map((id) => ({ payload: { id }, uniqueKey: id }));
  await enqueueMany(ctx.db.system, checkOne, jobs);
});

const oldAtOnce = 1_000;

const removeOld = job('role-invites.remove-old', { payload: nothing }, async (ctx: Context, _payload, { signal }) => {
  while (!signal.aborted && (await deleteOldInvites(ctx.db.system, ctx.clock(), oldAtOnce)) === oldAtOnce);
});

export const roleInviteJobs = [checkOne, checkDue, removeOld] as const;

export const roleInviteSchedules: readonly Schedule[] = [
  { name: checkDue.name, cron: '* * * * *', job: checkDue },
  { name: removeOld.name, cron: '53 * * * *', job: removeOld },
];
