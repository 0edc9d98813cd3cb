import { AppError, notFound, principalId } from '@latchkey/kernel';
import { announce } from '../../services/live-updates/index.ts';
import type { Context } from '../../shared/context.ts';
import { operatorId } from '../../shared/qualified-ids.ts';
import { deleteAdmin, deleteUnvouched, insertAdmins, selectAdmins } from './admin-queries.ts';
import { type ConfirmContext, confirmAdmins } from './confirm-admins.ts';
import { lockOwnCommunity } from './own-community.ts';
import { maxAdmins } from './update-admins.ts';

type ChangeContext = ConfirmContext & Pick<Context, 'actor'>;

/** Makes somebody an admin by the word of the caller, and asks the platform at once whether its own word stands for them. */
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

/** Takes an admin out, and those whom nobody else answers for. */
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
    const gone = await deleteUnvouched(tx, id);
    const caller = principalId(ctx.actor);
    if (caller !== userId && gone.includes(caller))
      throw new AppError(
        'STATE_CONFLICT',
        'You are an admin because they named you, so you would be removed as well. Ask another admin to remove them.',
      );
    await announce(tx, { changed: 'setup', community: id, accounts: [userId, ...gone] });
  });
}
