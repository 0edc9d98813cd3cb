import { enqueueMany } from '@latchkey/db';
import { addDays, addSeconds, exponentialRetry, job, type Schedule, shape, T } from '@latchkey/kernel';
import { communityIdField } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { findNotices } from '../../shared/find-notices.ts';
import { checkSetup, claimDueSetups } from './check-setup.ts';
import { findNews } from './find.ts';
import { notify } from './notify.ts';
import { notifyNotice } from './notify-job.ts';
import { deleteOld } from './queries.ts';

const find = job(findNotices.name, { payload: findNotices.payload }, (ctx: Context) => findNews(ctx));

/** Retries for about a day. An admin who cannot be reached by then finds the notice in the list of role changes. */
const notifyOne = job(
  notifyNotice.name,
  { payload: notifyNotice.payload, retry: exponentialRetry(14, 5, 7200), timeoutSeconds: 120, maxRunningPerGroup: 2 },
  (ctx: Context, { noticeId }, { attempt, signal }) => notify(ctx, noticeId, { attempt, signal }),
);

const checkOne = job(
  'admin-notices.check-setup',
  {
    payload: shape(T.Object({ communityId: communityIdField() })),
    retry: exponentialRetry(4, 60, 3600),
  },
  (ctx: Context, { communityId }) => checkSetup(ctx, communityId),
);

const Nothing = shape(T.Record(T.String(), T.Never()));
const [setupsAtOnce, setupHours] = [200, 6];

const checkDue = job('admin-notices.check-setups', { payload: Nothing }, async (ctx: Context) => {
  const now = ctx.clock();
  const before = addSeconds(now, -setupHours * 60 * 60);
  const due = await claimDueSetups(ctx.db.system, before, now, setupsAtOnce);
  const jobs = due.map((communityId) => ({ payload: { communityId }, uniqueKey: communityId, group: communityId }));
  await enqueueMany(ctx.db.system, checkOne, jobs);
});

const [keptDays, oldAtOnce] = [90, 1_000];

const removeOld = job('admin-notices.remove-old', { payload: Nothing }, async (ctx: Context, _payload, { signal }) => {
  const before = addDays(ctx.clock(), -keptDays);
  while (!signal.aborted && (await deleteOld(ctx.db.system, before, oldAtOnce)) === oldAtOnce);
});

export const adminNoticeJobs = [find, notifyOne, checkOne, checkDue, removeOld] as const;

export const adminNoticeSchedules: readonly Schedule[] = [
  { name: find.name, cron: '* * * * *', job: find },
  { name: checkDue.name, cron: '*/10 * * * *', job: checkDue },
  { name: removeOld.name, cron: '17 * * * *', job: removeOld },
];
