import { selectCommunity } from '../../../communities/community-records/index.ts';
import type { Context } from '../../../shared/context.ts';
import { retryBreakers, selectBreakerRows } from './breaker-queries.ts';
import { wakeWriter } from './write-community.ts';
import { selectRuledRoles } from './write-queries.ts';

/**
 * Re-checks the roles of a community after one was changed on the platform. Breakers whose cause is fixed are closed,
 * new faults open breakers before a write is tried, and pending writes resume. Does nothing in communities without
 * rules.
 */
export async function resumeRole(ctx: Pick<Context, 'db'>, id: string, roleId: string): Promise<void> {
  await checkAgain(ctx, id, [roleId]);
}

/** The same, after the bot itself was changed. */
export async function resumeCommunity(ctx: Pick<Context, 'db'>, id: string): Promise<void> {
  await checkAgain(ctx, id, undefined);
}

async function checkAgain(
  { db }: Pick<Context, 'db'>,
  id: string,
  roleIds: readonly string[] | undefined,
): Promise<void> {
  const community = await selectCommunity(db.system, id);
  if (community === undefined) return;
  const ruled = await selectRuledRoles(db.system, community.id);
  const breakers = await selectBreakerRows(db.system, community.id);
  if (ruled.length + breakers.length === 0) return;
  await db.transaction('system', async (tx) => {
    await retryBreakers(tx, community.id, roleIds);
    await wakeWriter(tx, community.id);
  });
}
