import type { Context } from '../../context.ts';
import { lockOwnCommunity } from './own-community.ts';
import { deleteCommunity } from './queries.ts';

/** Forgets a community with its rules, members and settings. On its platform nothing changes: roles stay where they are. */
export async function removeCommunity(ctx: Pick<Context, 'tx'>, { id }: { id: string }): Promise<void> {
  await ctx.tx(async (tx) => deleteCommunity(tx, (await lockOwnCommunity(tx, id)).id));
}
