import { enqueue, enqueueMany, type Sql } from '@latchkey/db';
import { addSeconds, exponentialRetry, job, type Schedule, shape, T } from '@latchkey/kernel';
import { PlatformFailed } from '../../ports/index.ts';
import { communityIdField } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { checkBackDoors, checkSeconds } from './check.ts';
import { claimDue, deleteOldDoors } from './queries.ts';

const checkOne = job(
  'back-doors.check',
  {
    payload: shape(T.Object({ communityId: communityIdField() })),
    retry: exponentialRetry(4, 60, 3600),
    maxRunningPerGroup: 1,
  },
  async (ctx: Context, { communityId }) => {
    try {
      await checkBackDoors(ctx, communityId);
    } catch (error) {
      // Without the bot in it, nothing can be said about a server; the setup check reports that.
      if (!(error instanceof PlatformFailed && error.kind === 'unknown-community')) throw error;
    }
  },
);

/** Several changes of a server within this time are one check. */
const settleSeconds = 5;

/** Checks a Discord server soon, because something changed that could give roles. */
export async function checkBackDoorsSoon(db: Sql, communityId: string, now: Date): Promise<void> {
  await enqueue(
    db,
    checkOne,
    { communityId },
    { uniqueKey: communityId, group: communityId, runAt: addSeconds(now, settleSeconds) },
  );
}

const Nothing = shape(T.Record(T.String(), T.Never()));
const atOnce = 200;

const checkDue = job('back-doors.check-due', { payload: Nothing }, async (ctx: Context) => {
  const now = ctx.clock();
  const due = await claimDue(ctx.db.system, now, addSeconds(now, checkSeconds), atOnce);
  const jobs = due.map((communityId) => ({ payload: { communityId }, uniqueKey: communityId, group: communityId }));
  await enqueueMany(ctx.db.system, checkOne, jobs);
});

const oldAtOnce = 1_000;

const removeOld = job('back-doors.remove-old', { payload: Nothing }, async (ctx: Context, _payload, { signal }) => {
  while (!signal.aborted && (await deleteOldDoors(ctx.db.system, ctx.clock(), oldAtOnce)) === oldAtOnce);
});

export const backDoorJobs = [checkOne, checkDue, removeOld] as const;

export const backDoorSchedules: readonly Schedule[] = [
  { name: checkDue.name, cron: '*/10 * * * *', job: checkDue },
  { name: removeOld.name, cron: '41 * * * *', job: removeOld },
];
