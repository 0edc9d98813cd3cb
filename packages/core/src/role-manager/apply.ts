import { notFound } from '@latchkey/kernel';
import type { Context } from '../context.ts';
import { applyNow } from '../gating/index.ts';
import type { UpdateUserRolesResponse } from './role-check.ts';
import { findTargets } from './targets.ts';

/** Checks one member and writes what must change, in one community or in each that the caller may ask about. */
export async function applyRoles(
  ctx: Context,
  { communityId, userId }: { communityId?: string | undefined; userId?: string | undefined },
): Promise<UpdateUserRolesResponse> {
  const targets = await findTargets(ctx, { communityId, userId });
  const roles: NonNullable<UpdateUserRolesResponse['roles']> = [];
  for (const { community, userId: member, isManager } of targets) {
    const held = await applyNow(ctx, community, member, { liftPauses: isManager });
    if (held !== undefined) roles.push({ communityId: community.community_id, roles: [...held] });
  }
  if (roles.length === 0) throw notFound('member');
  return { userId: targets[0]?.userId, roles };
}
