import type { Tx } from '@latchkey/db';
import { notFound } from '@latchkey/kernel';
import { announce } from '../../services/live-updates/index.ts';
import type { Context } from '../../shared/context.ts';
import {
  type CommunityChange,
  type CommunityRow,
  deleteCommunity,
  getCommunity,
  lockCommunity,
  lockOwnCommunity,
  updateCommunity,
} from '../community-records/index.ts';
import { enqueueReconcile } from '../reconcile-queue/index.ts';
import { type Community, type CommunityPartial, contactOf, profileOf } from './community.ts';

type ChangeContext = Pick<Context, 'clock' | 'tx'>;

/** Replaces the data of a community. Name and status are required, so they stay if they are missing. */
export async function replaceCommunity(
  ctx: ChangeContext,
  { id, body }: { id: string; body: Community },
): Promise<void> {
  await ctx.tx(async (tx) => {
    const row = await lockOwnCommunity(tx, id);
    await apply(ctx, tx, row, {
      ...settingsOf(body),
      admin_user_id: contactOf(body) ?? null,
      disable_background_checks: body.disableBkgBalCheck ?? false,
      profile: profileOf(body),
    });
  });
}

/** Changes only the given fields of a community. */
export async function patchCommunity(
  ctx: ChangeContext,
  { id, body }: { id: string; body: CommunityPartial },
): Promise<void> {
  await ctx.tx(async (tx) => {
    const row = await lockOwnCommunity(tx, id);
    const contact = contactOf(body);
    await apply(ctx, tx, row, {
      ...settingsOf(body),
      ...(contact !== undefined && { admin_user_id: contact }),
      ...(body.disableBkgBalCheck !== undefined && { disable_background_checks: body.disableBkgBalCheck }),
      profile: { ...row.profile, ...profileOf(body) },
    });
  });
}

function settingsOf({ name, status }: CommunityPartial): CommunityChange {
  return { ...(name !== undefined && { name }), ...(status !== undefined && { status }) };
}

async function apply(ctx: ChangeContext, tx: Tx, row: CommunityRow, change: CommunityChange): Promise<void> {
  await updateCommunity(tx, row.id, change, ctx.clock());
  // No member was checked while it was paused, so anything may have changed.
  if (change.status === 'active' && row.status !== 'active')
    await enqueueReconcile(tx, { communityId: row.id, members: '*', cause: 'schedule' });
}

/** Stores the status of the bot as the platform reports it: added again, or removed. Ignores unknown communities. */
export async function setCommunityStatus(
  ctx: Pick<Context, 'clock' | 'db'>,
  id: string,
  status: 'active' | 'kicked',
): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    const row = await lockCommunity(tx, id);
    // A pause by an admin stays in effect when the bot is removed or added.
    if (row === undefined || row.status === status || row.status === 'paused') return;
    await updateCommunity(tx, id, { status }, ctx.clock());
    await announce(tx, { changed: 'setup', community: id });
    if (status === 'active') await enqueueReconcile(tx, { communityId: id, members: '*', cause: 'schedule' });
  });
}

/** Deletes a community with its rules, members and settings. Roles on the platform stay unchanged. */
export async function removeCommunity(ctx: Pick<Context, 'tx'>, { id }: { id: string }): Promise<void> {
  await ctx.tx(async (tx) => {
    if (!(await deleteCommunity(tx, (await getCommunity(tx, id)).id))) throw notFound('community');
  });
}
