import { sql, type Tx } from '@latchkey/db';
import { AppError, notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { putAdmin, setOwner } from './admin-queries.ts';
import { isUserKey, operatorId } from './keys.ts';
import { lockCommunity, selectCommunity } from './queries.ts';

/**
 * Makes somebody the owner of a community. For the operator, whose word needs no confirmation by the platform: the last
 * admin may be gone, and the bot with them.
 */
export async function handOverCommunity(
  ctx: Pick<Context, 'clock' | 'db'>,
  { id, userId }: { id: string; userId: string },
): Promise<void> {
  if (!isUserKey(userId))
    throw new AppError('INVALID_PARAMETER_VALUE', 'Name the new owner by an id such as DIS#USER#123.');
  await ctx.db.transaction('system', async (tx) => {
    const found = await selectCommunity(tx, id);
    const community = found && (await lockCommunity(tx, found.id));
    if (community === undefined) throw notFound('community');
    await putAdmin(tx, community.id, userId, { namedBy: operatorId }, ctx.clock());
    await setOwner(tx, community.id, userId, ctx.clock());
  });
}

/** Gives the communities of an owner who is no admin any more to their oldest admin, or to the operator, and to rest. */
export async function giveToHeir(tx: Tx, ownerId: string, now: Date): Promise<void> {
  await sql`
    update communities c set
      owner_id = coalesce(heir.user_id, ${operatorId}),
      status = case when heir.user_id is null and c.status = 'active' then 'paused' else c.status end,
      updated_at = ${now}
    from communities o left join lateral (
      select a.user_id from community_admins a where a.community_id = o.id order by a.added_at, a.user_id limit 1
    ) heir on true
    where o.owner_id = ${ownerId} and c.id = o.id`.execute(tx);
}
