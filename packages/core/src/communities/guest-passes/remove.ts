import { notFound } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { getCommunity } from '../community-records/index.ts';
import { settle } from './issue.ts';
import { endGrants, lockPass, markDeleted } from './queries.ts';

/** Ends a pass for every member who has it, and removes the roles it granted. */
export async function removeGuestPass(
  ctx: Pick<Context, 'clock' | 'tx'>,
  { guildId, passId }: { guildId: string; passId: string },
): Promise<void> {
  await ctx.tx(async (tx) => {
    const community = await getCommunity(tx, guildId);
    const pass = await lockPass(tx, community.id, passId);
    if (pass === undefined) throw notFound('guest pass');
    const at = ctx.clock();
    await markDeleted(tx, pass.id, at);
    for (const grant of await endGrants(tx, { passId: pass.id, at }, Number.MAX_SAFE_INTEGER)) await settle(tx, grant);
  });
}
