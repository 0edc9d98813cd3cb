import { notFound, principalId } from '@latchkey/kernel';
import { requireFeature } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { inParallel } from '../../in-parallel.ts';
import { applyNow } from '../role-plans/index.ts';
import type { UpdateUserRolesResponse } from './role-check.ts';
import { findTargets, looksAtOnce } from './targets.ts';

/** Checks one member and writes what must change, in one community or in each that the caller may ask about. */
export async function applyRoles(
  ctx: Context,
  { communityId, userId }: { communityId?: string | undefined; userId?: string | undefined },
): Promise<UpdateUserRolesResponse> {
  const targets = await findTargets(ctx, { communityId, userId });
  const applied = await inParallel(targets, looksAtOnce, async ({ community, userId: member, isManager }) => {
    // People bring their own roles in line whatever the plan; it is checking others on demand that a plan includes.
    if (principalId(ctx.actor) !== member) await requireFeature(ctx, community.id, 'ON_DEMAND_BALANCE_CHECK');
    const held = await applyNow(ctx, community, member, { liftPauses: isManager });
    return held === undefined ? [] : [{ communityId: community.community_id, roles: [...held] }];
  });
  const roles = applied.flat();
  if (roles.length === 0) throw notFound('member');
  return { userId: targets[0]?.userId, roles };
}
