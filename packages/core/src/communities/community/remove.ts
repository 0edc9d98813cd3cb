import { notFound } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { getCommunity } from './own-community.ts';
import { deleteCommunity } from './queries.ts';

/** Forgets a community with its rules, members and settings. On its platform nothing changes: roles stay where they are. */
export async function removeCommunity(ctx: Pick<Context, 'tx'>, { id }: { id: string }): Promise<void> {
  await ctx.tx(async (tx) => {
    if (!(await deleteCommunity(tx, (await getCommunity(tx, id)).id))) throw notFound('community');
  });
}
