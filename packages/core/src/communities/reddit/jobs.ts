import { enqueueMany } from '@latchkey/db';
import { exponentialRetry, job, type Schedule, shape, T, text } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { claimDueInboxes, countAccounts } from './queries.ts';
import { readInbox } from './read-inbox.ts';

const readOne = job(
  'reddit.read-inbox',
  {
    payload: shape(T.Object({ communityId: text('A community of the linked account.', { maxLength: 128 }) })),
    // The next look comes by itself.
    retry: exponentialRetry(2, 10, 60),
    timeoutSeconds: 120,
  },
  (ctx: Context, { communityId }, { signal }) => readInbox(ctx, communityId, signal),
);

const atOnce = 100;
const periodSeconds = 60;
/** Reddit bears about a hundred requests a minute of one application; most of them are for roles. */
const secondsPerAccount = 3;

const readDue = job(
  'reddit.read-inboxes',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db' | 'reddit'>) => {
    if (ctx.reddit === undefined) return;
    const now = ctx.clock();
    const waitSeconds = Math.max(periodSeconds, secondsPerAccount * (await countAccounts(ctx.db.system)));
    // A little less than the schedule's minute, so that the next one finds them due.
    const until = new Date(now.getTime() + (waitSeconds - 5) * 1000);
    const due = await claimDueInboxes(ctx.db.system, now, until, atOnce);
    await enqueueMany(
      ctx.db.system,
      readOne,
      due.map((communityId) => ({ payload: { communityId }, uniqueKey: communityId, group: communityId })),
    );
  },
);

export const redditJobs = [readOne, readDue] as const;

export const redditSchedules: readonly Schedule[] = [{ name: readDue.name, cron: '* * * * *', job: readDue }];
