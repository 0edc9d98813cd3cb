import { addSeconds } from '@latchkey/kernel';
import { checkPeriodSeconds } from '../../communities/community-plans/index.ts';
import { claimDueChecks, setNextCheck } from '../../communities/community-records/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import type { Context } from '../../shared/context.ts';

type DueContext = Pick<Context, 'clock' | 'db'>;

const communitiesAtOnce = 200;

/**
 * Queues every member of the communities that are due for a resync, and sets their next time. Returns how many
 * communities there were.
 */
export async function startResyncs(ctx: DueContext): Promise<number> {
  const now = ctx.clock();
  return ctx.db.transaction('system', async (tx) => {
    const due = await claimDueChecks(tx, now, communitiesAtOnce);
    // In id order, so that two transactions that queue several communities cannot deadlock.
    for (const { id, check_period_seconds } of due.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      const periodSeconds = check_period_seconds ?? (await checkPeriodSeconds(tx, id, now));
      const next = addSeconds(now, periodSeconds);
      await setNextCheck(tx, id, next);
      await enqueueReconcile(tx, { communityId: id, members: '*', cause: 'schedule' });
    }
    return due.length;
  });
}
