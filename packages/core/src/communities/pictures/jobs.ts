import { enqueue, enqueueMany, type Sql } from '@latchkey/db';
import { job, type Schedule, shape, T, text } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { selectCommunity } from '../communities/index.ts';
import { claimDuePictures } from './queries.ts';
import { freshSeconds, refreshPicture } from './refresh.ts';

const refresh = job(
  'pictures.refresh',
  {
    payload: shape(T.Object({ communityId: text('The qualified id of the community.', { maxLength: 128 }) })),
    timeoutSeconds: 60,
  },
  (ctx: Context, { communityId }, { signal }) => refreshPicture(ctx, communityId, signal),
);

const communitiesAtOnce = 200;

/** The picture of every community is looked at once a day, and that of a new one at once. */
const startRefreshing = job(
  'pictures.start-refreshing',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>) => {
    const now = ctx.clock();
    const before = new Date(now.getTime() - freshSeconds * 1000);
    const due = await claimDuePictures(ctx.db.system, before, now, communitiesAtOnce);
    const jobs = due.map((communityId) => ({ payload: { communityId }, uniqueKey: communityId, group: communityId }));
    await enqueueMany(ctx.db.system, refresh, jobs);
  },
);

/** Has the picture read soon, because the platform told of a change. Takes the qualified id of a community. */
export async function rereadPicture(db: Sql, communityId: string): Promise<void> {
  if ((await selectCommunity(db, communityId)) === undefined) return;
  await enqueue(db, refresh, { communityId }, { uniqueKey: communityId });
}

export const pictureJobs = [refresh, startRefreshing] as const;

export const pictureSchedules: readonly Schedule[] = [
  { name: startRefreshing.name, cron: '* * * * *', job: startRefreshing },
];
