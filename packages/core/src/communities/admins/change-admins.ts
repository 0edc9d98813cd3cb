import type { Tx } from '@latchkey/db';
import { AppError, notFound, principalId } from '@latchkey/kernel';
import { announce } from '../../services/live-updates/index.ts';
import type { Context } from '../../shared/context.ts';
import { isUserKey, operatorId } from '../../shared/qualified-ids.ts';
import { refuse } from '../../shared/refuse.ts';
import {
  type ConfirmContext,
  confirmAdmins,
  deleteAdmin,
  deleteAdminsWithoutSponsor,
  deleteOtherAdmins,
  insertAdmins,
  nameAnew,
  putAdmin,
  selectAdmins,
} from '../access/index.ts';
import {
  type CommunityRow,
  getCommunity,
  lockCommunity,
  lockOwnCommunity,
  selectCommunity,
  updateCommunity,
} from '../community-records/index.ts';
import { recheckAdmins } from './jobs.ts';

export const maxAdmins = 100;

/**
 * Replaces the admins of a community. Its owner must stay an admin. New admins count as added by the caller, until the
 * platform confirms them or the caller is no longer an admin.
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
  // The row policies do not let an admin change the rows of other admins, so the change runs as the system.
  await ctx.db.transaction('system', async (tx) => {
    const community = await lockOwnCommunity(tx, visible.id);
    if (!admins.includes(community.owner_id)) throw refuse('', `must include the owner, ${community.owner_id}`);
    const namedBy = await namerOf(ctx, tx, community, admins);
    await insertAdmins(tx, community.id, admins, { namedBy }, ctx.clock());
    await deleteOtherAdmins(tx, community.id, admins);
    await nameAnew(tx, community.id, admins, namedBy);
    await recheckAdmins(tx, community.id);
  });
}

/**
 * Who counts as the sponsor of the added admins: the caller, or if the caller leaves, the admin who added the caller.
 */
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

type ChangeContext = ConfirmContext & Pick<Context, 'actor'>;

/** Makes a user an admin, added by the caller, and checks immediately whether the platform confirms them. */
export async function nameAdmin(ctx: ChangeContext, communityId: string, userId: string): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    const { id } = await lockOwnCommunity(tx, communityId);
    const admins = await selectAdmins(tx, id);
    if (admins.some(({ user_id }) => user_id === userId)) return;
    if (admins.length >= maxAdmins)
      throw new AppError('STATE_CONFLICT', `A community can have ${maxAdmins} admins. Remove one first.`);
    const namedBy = ctx.actor.kind === 'user' ? principalId(ctx.actor) : operatorId;
    await insertAdmins(tx, id, [userId], { namedBy }, ctx.clock());
    await announce(tx, { changed: 'setup', community: id, accounts: [userId] });
  });
  await confirmAdmins(ctx, communityId, { only: [userId] });
}

/** Removes an admin, and the admins that only they added. */
export async function dismissAdmin(
  ctx: Pick<Context, 'actor' | 'db'>,
  communityId: string,
  userId: string,
): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    const { id, owner_id } = await lockOwnCommunity(tx, communityId);
    if (userId === owner_id)
      throw new AppError('STATE_CONFLICT', 'The owner cannot be removed. The community needs another owner first.');
    const admin = (await selectAdmins(tx, id)).find(({ user_id }) => user_id === userId);
    if (admin === undefined) throw notFound('admin');
    await deleteAdmin(tx, admin);
    const gone = await deleteAdminsWithoutSponsor(tx, id);
    const caller = principalId(ctx.actor);
    if (caller !== userId && gone.includes(caller))
      throw new AppError(
        'STATE_CONFLICT',
        'You are an admin because they named you, so you would be removed as well. Ask another admin to remove them.',
      );
    await announce(tx, { changed: 'setup', community: id, accounts: [userId, ...gone] });
  });
}

/**
 * Makes a user the owner of a community. For the operator, and without confirmation by the platform: the last admin may
 * be gone, and the bot with them.
 */
export async function transferCommunity(
  ctx: Pick<Context, 'clock' | 'db'>,
  { id, userId }: { id: string; userId: string },
): Promise<void> {
  if (!isUserKey(userId))
    throw new AppError('INVALID_PARAMETER_VALUE', 'Identify the new owner by an id such as DIS#USER#123.');
  await ctx.db.transaction('system', async (tx) => {
    const found = await selectCommunity(tx, id);
    const community = found && (await lockCommunity(tx, found.id));
    if (community === undefined) throw notFound('community');
    await putAdmin(tx, community.id, userId, { namedBy: operatorId }, ctx.clock());
    await updateCommunity(tx, community.id, { owner_id: userId }, ctx.clock());
  });
}
