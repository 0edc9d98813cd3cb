import { enqueue } from '@latchkey/db';
import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { startSweeps } from '../following/index.ts';
import { gatingSettings } from '../judging/index.ts';
import { deleteOldHoldings } from '../readings/index.ts';
import { checkCommunity } from '../touches/index.ts';
import { checkTouched } from './check.ts';
import { deleteOldPlans } from './plan-queries.ts';
import { deleteOldDifferences } from './shadow/queries.ts';
import { goOnTakingOver } from './shadow/take-over.ts';
import { takeOverCommunity, wakeCommunity, wakeWriter, writeCommunity } from './wake.ts';
import { wakeDue } from './wake-due.ts';
import { writeWaiting } from './write-community.ts';

const Nothing = shape(T.Record(T.String(), T.Never()));

export const check = job(
  checkCommunity.name,
  { payload: checkCommunity.payload, timeoutSeconds: 900 },
  (ctx: Context, { communityId }, { signal }) => checkTouched(ctx, communityId, signal),
);

export const write = job(
  writeCommunity.name,
  { payload: writeCommunity.payload, timeoutSeconds: 600 },
  (ctx: Context, { communityId }, { signal }) => writeWaiting(ctx, communityId, signal),
);

export const takeOver = job(
  takeOverCommunity.name,
  { payload: takeOverCommunity.payload, timeoutSeconds: 900, maxRunningPerGroup: 1 },
  (ctx: Context, { communityId }, { signal }) => goOnTakingOver(ctx, communityId, signal),
);

export const wake = job(
  wakeCommunity.name,
  { payload: wakeCommunity.payload },
  async (ctx: Context, { communityId }) => {
    await enqueue(ctx.db.system, checkCommunity, { communityId }, { uniqueKey: communityId });
    await wakeWriter(ctx.db.system, communityId);
  },
);

export const startDue = job('gating.start-due', { payload: Nothing }, async (ctx: Context) => {
  await startSweeps(ctx);
  await wakeDue(ctx);
});

const holdingsAtOnce = 5_000;
const plansAtOnce = 20;
const planDays = 90;
const previewDays = 7;

/** Forgets answers that are too old to count, and plans that nobody will undo any more; the ledger keeps what they did. */
export const removeOld = job('gating.remove-old', { payload: Nothing }, async (ctx: Context, _payload, { signal }) => {
  const secondsAgo = (seconds: number) => new Date(ctx.clock().getTime() - seconds * 1000);
  const readBefore = secondsAgo(gatingSettings(ctx).rereadSeconds);
  const finishedBefore = secondsAgo(planDays * daySeconds);
  const previewedBefore = secondsAgo(previewDays * daySeconds);
  const { system } = ctx.db;
  // In batches, so that no statement holds many locks or runs into its time limit.
  while (!signal.aborted && (await deleteOldHoldings(system, readBefore, holdingsAtOnce)) === holdingsAtOnce);
  while (!signal.aborted && (await deleteOldDifferences(system, finishedBefore, holdingsAtOnce)) === holdingsAtOnce);
  while (
    !signal.aborted &&
    (await deleteOldPlans(system, finishedBefore, previewedBefore, plansAtOnce)) === plansAtOnce
  );
});

const daySeconds = 24 * 60 * 60;

export const gatingJobs = [check, write, takeOver, wake, startDue, removeOld] as const;

export const gatingSchedules: readonly Schedule[] = [
  { name: 'gating.start-due', cron: '* * * * *', job: startDue },
  { name: 'gating.remove-old', cron: '41 * * * *', job: removeOld },
];
