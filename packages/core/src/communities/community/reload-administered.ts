import { principalId } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import { nativeUserId, operatorId } from '../../shared/qualified-ids.ts';
import { putAdmin, selectAdmins, setOwner } from './admin-queries.ts';
import { askAdminStatus } from './ask-platform.ts';
import { type ConfirmContext, confirmAdmins } from './confirm-admins.ts';
import { type CommunityRow, listCommunities, lockCommunity, selectCommunitiesOfMember } from './queries.ts';

/** Each costs calls of the bot, which all communities share. */
const mostAsked = 20;
const askedAtOnce = 4;

/**
 * Asks the platform at once which of the communities that the caller is in the caller rules. Those that it confirms
 * become the caller's to look after; one that nobody owned any more becomes the caller's own.
 */
export async function reloadAdministered(ctx: ConfirmContext & Pick<Context, 'actor'>): Promise<void> {
  if (ctx.actor.kind !== 'user') return;
  const userId = principalId(ctx.actor);
  const { system } = ctx.db;
  const administered = await listCommunities(system, { adminId: userId, limit: mostAsked });
  const joined = await selectCommunitiesOfMember(system, userId, mostAsked);
  const known = new Set(administered.map(({ id }) => id));
  const others = joined.filter(({ id, platform }) => !known.has(id) && nativeUserId(platform, userId) !== undefined);
  await inParallel(administered, askedAtOnce, ({ id }) => confirmAdmins(ctx, id, { only: [userId] }));
  await inParallel(others.slice(0, mostAsked - administered.length), askedAtOnce, (community) =>
    admitIfRuling(ctx, community, userId),
  );
}

async function admitIfRuling(ctx: ConfirmContext, community: CommunityRow, userId: string): Promise<void> {
  const place = { platform: community.platform, communityId: community.community_id };
  if ((await askAdminStatus(ctx, place, userId)).kind !== 'yes') return;
  await ctx.db.transaction('system', async (tx) => {
    const row = await lockCommunity(tx, community.id);
    if (row === undefined) return;
    const now = ctx.clock();
    const admins = await selectAdmins(tx, row.id);
    await putAdmin(tx, row.id, userId, { confirmedAt: now }, now);
    // The operator's own communities have the operator among their admins.
    const isNobodys = row.owner_id === operatorId && !admins.some(({ user_id }) => user_id === operatorId);
    if (isNobodys) await setOwner(tx, row.id, userId, now);
  });
}
