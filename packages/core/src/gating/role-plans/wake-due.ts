import { enqueue, sql } from '@latchkey/db';
import type { Context } from '../../context.ts';
import { checkCommunity, selectDueCommunities } from '../touches/index.ts';
import { selectTakeOvers } from './shadow/queries.ts';
import { isStopped } from './stop-queries.ts';
import { wakeTakeOver, wakeWriter } from './wake.ts';
import './tables.ts';

/** Sets work going whose time has come or whose job was lost. */
export async function wakeDue(ctx: Pick<Context, 'clock' | 'db'>): Promise<void> {
  const now = ctx.clock();
  for (const communityId of await selectDueCommunities(ctx.db.system, now))
    await enqueue(ctx.db.system, checkCommunity, { communityId }, { uniqueKey: communityId });
  const { rows } = await sql<{ community_id: string }>`
    select distinct i.community_id from role_plan_items i
    where i.state in ('pending', 'sent') and (i.due_at is null or i.due_at <= ${now}) and not ${isStopped}`.execute(
    ctx.db.system,
  );
  for (const { community_id } of rows) await wakeWriter(ctx.db.system, community_id);
  for (const communityId of await selectTakeOvers(ctx.db.system)) await wakeTakeOver(ctx.db.system, communityId);
}
