import type { Tx } from '@latchkey/db';
import { principalId } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { isUserKey, operatorId } from '../../shared/qualified-ids.ts';
import { recheckAdmins } from './admin-jobs.ts';
import { insertAdmins, selectAdmins } from './admin-queries.ts';
import { refuse } from './invalid.ts';
import { getCommunity, lockOwnCommunity } from './own-community.ts';
import { type CommunityRow, deleteOtherAdmins } from './queries.ts';

export const maxAdmins = 100;

/**
 * Settles who looks after a community. Its owner always does. Whoever is new in the list is an admin by the word of the
 * caller, until the platform confirms them or the caller is no admin any more.
 */
export async function updateAdmins(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'tx'>,
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
    const namedBy = await namerOf(ctx, tx, community, admins);
    await insertAdmins(tx, community.id, admins, { namedBy }, ctx.clock());
    await deleteOtherAdmins(tx, community.id, admins);
    // Those who stay, though whoever named them goes, stay by the word of the caller.
    await tx
      .updateTable('community_admins')
      .set({ named_by: namedBy })
      .where('community_id', '=', community.id)
      .where('named_by', 'not in', [operatorId, ...admins])
      .execute();
    await recheckAdmins(tx, community.id);
  });
}

/** Who answers for those whom the caller names: the caller, or whoever stays of those who answer for the caller. */
async function namerOf(
  { actor }: Pick<Context, 'actor'>,
  tx: Tx,
  { id, owner_id }: CommunityRow,
  admins: readonly string[],
): Promise<string> {
  if (actor.kind !== 'user') return operatorId;
  const caller = principalId(actor);
  if (admins.includes(caller)) return caller;
  const namer = (await selectAdmins(tx, id)).find(({ user_id }) => user_id === caller)?.named_by;
  return namer && admins.includes(namer) ? namer : owner_id;
}
