import { enqueue, enqueueMany, type Sql } from '@latchkey/db';
import { job, type Schedule, shape, T, text } from '@latchkey/kernel';
import { communityIdField } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { confirmAdmins, isAdmin, selectDueForAsking } from '../access/index.ts';
import { selectCommunity } from '../community-records/index.ts';

export const confirmAdminsJob = job(
  'communities.confirm-admins',
  {
    payload: shape(
      T.Object({
        communityId: communityIdField(),
        userId: T.Optional(text('The admin to check; all of them if absent.', { maxLength: 128 })),
      }),
    ),
    timeoutSeconds: 300,
  },
  (ctx: Context, { communityId, userId }, { signal }) =>
    confirmAdmins(ctx, communityId, { signal, ...(userId !== undefined && { only: [userId] }) }),
);

const communitiesAtOnce = 200;

/** Checks every admin with the platform once a day, a few communities at a time. */
export const startAsking = job(
  'communities.start-asking',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>) => {
    const due = await selectDueForAsking(ctx.db.system, ctx.clock(), communitiesAtOnce);
    await enqueueMany(
      ctx.db.system,
      confirmAdminsJob,
      due.map((communityId) => ({ payload: { communityId }, uniqueKey: communityId, group: communityId })),
    );
  },
);

/**
 * Queues a check of admins, because the platform reported a change of permissions: of one user, or of roles that any
 * user may have. Takes the qualified id of a community. Users who are not admins here are skipped.
 */
export async function recheckAdmins(db: Sql, communityId: string, userId?: string): Promise<void> {
  if (userId === undefined) {
    if ((await selectCommunity(db, communityId)) === undefined) return;
    await enqueue(db, confirmAdminsJob, { communityId }, { uniqueKey: communityId });
    return;
  }
  if (!(await isAdmin(db, communityId, userId))) return;
  await enqueue(db, confirmAdminsJob, { communityId, userId }, { uniqueKey: `${communityId}/${userId}` });
}

export const communityJobs = [confirmAdminsJob, startAsking] as const;

export const communitySchedules: readonly Schedule[] = [
  { name: 'communities.start-asking', cron: '*/10 * * * *', job: startAsking },
];
