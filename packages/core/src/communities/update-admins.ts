import type { Context } from '../context.ts';
import { refuse } from './invalid.ts';
import { isUserKey } from './keys.ts';
import { getCommunity, lockOwnCommunity } from './own-community.ts';
import { deleteOtherAdmins, insertAdmins } from './queries.ts';

export const maxAdmins = 100;

/** Settles who looks after a community. Its owner always does. */
export async function updateAdmins(
  ctx: Pick<Context, 'clock' | 'db' | 'tx'>,
  { id, body }: { id: string; body: readonly string[] },
): Promise<void> {
  const admins = [...new Set(body)];
  admins.forEach((userId, index) => {
    if (!isUserKey(userId)) throw refuse(`/${index}`, 'must be the id of a user, for example DIS#USER#123');
  });
  const visible = await ctx.tx((tx) => getCommunity(tx, id));
  // Rows of other admins are theirs to the row policies, so the change itself is made by the system.
  await ctx.db.transaction('system', async (tx) => {
    const community = await lockOwnCommunity(tx, visible.id);
    if (!admins.includes(community.owner_id))
      throw refuse('', `must name the owner, ${community.owner_id}, who cannot be left out`);
    await insertAdmins(tx, community.id, admins, ctx.clock());
    await deleteOtherAdmins(tx, community.id, admins);
  });
}
