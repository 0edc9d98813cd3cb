import { requireFeature } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { wakeLater } from '../role-plans/index.ts';
import { touch } from '../touches/index.ts';
import type { RoleCheckRequest } from './role-check.ts';
import { managedCommunity, qualify, requireMember } from './targets.ts';

const longestDelaySeconds = 24 * 60 * 60;

/** Has members checked and their roles written, at once or after a while. Asked again meanwhile, it is still one check. */
export async function scheduleRoleCheck(
  ctx: Context,
  { body: { communityId, userId = '*', delay = 0 } }: { body: RoleCheckRequest },
): Promise<Record<string, unknown>> {
  const community = await managedCommunity(ctx, communityId);
  await requireFeature(ctx, community.id, 'ON_DEMAND_BALANCE_CHECK');
  const members = userId === '*' ? ('*' as const) : [qualify(community, userId)];
  if (members !== '*') await requireMember(ctx, community, members[0] ?? '');
  const delaySeconds = Math.min(delay, longestDelaySeconds);
  const dueAt = new Date(ctx.clock().getTime() + delaySeconds * 1000);
  await ctx.db.transaction('system', async (tx) => {
    const due = delaySeconds > 0 ? { dueAt } : {};
    await touch(tx, { communityId: community.id, members, cause: 'asked', ...due });
    if (delaySeconds > 0) await wakeLater(tx, community.id, delaySeconds);
  });
  return { communityId, userId, delay: delaySeconds, dueAt: dueAt.toISOString() };
}
