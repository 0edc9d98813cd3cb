import { type Enqueueable, enqueue, enqueueMany, type Tx } from '@latchkey/db';
import { exponentialRetry, job, type Schedule, shape, T } from '@latchkey/kernel';
import { communityIdField } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { findNotices } from '../../shared/find-notices.ts';
import { checkDueRules, countDueMembers } from './check-rules.ts';
import { addMissing, resetRuleHealth, selectDueCommunities } from './queries.ts';

const checkCommunityRules: Enqueueable<{ communityId: string }> = {
  name: 'rule-health.check',
  payload: shape(T.Object({ communityId: communityIdField() })),
};

/** Members are checked against a new rule first, so that the count finds their holdings in the store. */
const countAfterSeconds = 5 * 60;

/** Queues a check of a rule in the transaction that creates or changes it. */
export async function recheckRule(
  tx: Tx,
  { communityId, ruleId }: { communityId: string; ruleId: string },
  now: Date,
): Promise<void> {
  const countDueAt = new Date(now.getTime() + countAfterSeconds * 1000);
  await resetRuleHealth(tx, { communityId, ruleId }, { now, countDueAt });
  await enqueue(tx, checkCommunityRules, { communityId }, { uniqueKey: communityId, group: communityId });
}

const checkOne = job(
  'rule-health.check',
  {
    payload: checkCommunityRules.payload,
    retry: exponentialRetry(4, 30, 600),
    timeoutSeconds: 600,
    maxRunningPerGroup: 1,
  },
  async (ctx: Context, { communityId }, { signal }) => {
    const { isMore, isChanged } = await checkDueRules(ctx, communityId, signal);
    await countDueMembers(ctx, communityId, signal);
    if (isChanged) await enqueue(ctx.db.system, findNotices, {}, { uniqueKey: 'all' });
    if (isMore) await enqueue(ctx.db.system, checkCommunityRules, { communityId }, { uniqueKey: communityId });
  },
);

const Nothing = shape(T.Record(T.String(), T.Never()));
const [rulesAtOnce, communitiesAtOnce] = [1_000, 200];

const startDue = job('rule-health.start-due', { payload: Nothing }, async (ctx: Context) => {
  const now = ctx.clock();
  await addMissing(ctx.db.system, now, rulesAtOnce);
  const due = await selectDueCommunities(ctx.db.system, now, communitiesAtOnce);
  const jobs = due.map((communityId) => ({ payload: { communityId }, uniqueKey: communityId, group: communityId }));
  await enqueueMany(ctx.db.system, checkCommunityRules, jobs);
});

export const ruleHealthJobs = [checkOne, startDue] as const;

export const ruleHealthSchedules: readonly Schedule[] = [{ name: startDue.name, cron: '* * * * *', job: startDue }];
