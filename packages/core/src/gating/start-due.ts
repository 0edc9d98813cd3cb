import { enqueue, sql } from '@latchkey/db';
import { checkPeriodSeconds } from '../communities/index.ts';
import type { Context } from '../context.ts';
import { checkCommunity, selectDueCommunities, touch } from '../touches/index.ts';
import { wakeWriter } from './wake.ts';

type DueContext = Pick<Context, 'clock' | 'db'>;

const communitiesAtOnce = 200;

/** Touches everybody in the communities whose period is over, and sets their next time. Answers how many there were. */
export async function startSweeps(ctx: DueContext): Promise<number> {
  const now = ctx.clock();
  return ctx.db.transaction('system', async (tx) => {
    const due = await tx
      .selectFrom('communities')
      .select(['id', 'check_period_seconds'])
      .where('status', '=', 'active')
      .where('disable_background_checks', '=', false)
      .where((eb) => eb.or([eb('next_check_at', 'is', null), eb('next_check_at', '<=', now)]))
      .orderBy('next_check_at', (order) => order.asc().nullsFirst())
      .limit(communitiesAtOnce)
      .forUpdate()
      .skipLocked()
      .execute();
    for (const { id, check_period_seconds } of due) {
      const periodSeconds = check_period_seconds ?? (await checkPeriodSeconds(tx, id, now));
      const next = new Date(now.getTime() + periodSeconds * 1000);
      await tx.updateTable('communities').set({ next_check_at: next }).where('id', '=', id).execute();
      await touch(tx, { communityId: id, members: '*', cause: 'schedule' });
    }
    return due.length;
  });
}

/** Sets work going whose time has come or whose job was lost. */
export async function wakeDue(ctx: DueContext): Promise<void> {
  const now = ctx.clock();
  for (const communityId of await selectDueCommunities(ctx.db.system, now))
    await enqueue(ctx.db.system, checkCommunity, { communityId }, { uniqueKey: communityId });
  const { rows } = await sql<{ community_id: string }>`
    select distinct i.community_id from role_plan_items i
    where i.state in ('pending', 'sent') and (i.due_at is null or i.due_at <= ${now}) and not exists (
      select from role_stops s where s.community_id = i.community_id and s.role_id in ('*', i.role_id)
    )`.execute(ctx.db.system);
  for (const { community_id } of rows) await wakeWriter(ctx.db.system, community_id);
}
