import { selectCommunity } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { deleteStop } from './stop-queries.ts';
import { wakeWriter } from './wake.ts';

/** Tries a role again that was stopped, because somebody changed it on the platform. */
export async function resumeRole(ctx: Pick<Context, 'db'>, id: string, roleId: string): Promise<void> {
  const community = await selectCommunity(ctx.db.system, id);
  if (community === undefined) return;
  await ctx.db.transaction('system', async (tx) => {
    if (await deleteStop(tx, community.id, roleId)) await wakeWriter(tx, community.id);
  });
}
