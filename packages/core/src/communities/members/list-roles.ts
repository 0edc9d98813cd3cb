import type { Context } from '../../context.ts';
import { getCommunity, readPlatformRoles } from '../communities/index.ts';
import type { HeldRole } from './member.ts';
import { countByRole } from './queries.ts';

const mostRoles = 500;

/** The roles that members have, the most held first. */
export async function listHeldRoles(
  ctx: Pick<Context, 'db' | 'hosts' | 'log' | 'tx'>,
  { communityId }: { communityId: string },
): Promise<HeldRole[]> {
  const community = await ctx.tx((tx) => getCommunity(tx, communityId));
  const [held, roles] = await Promise.all([
    countByRole(ctx.db.system, community.id, mostRoles),
    readPlatformRoles(ctx, community),
  ]);
  return held.map(({ role_id, members }) => ({ roleId: role_id, roleName: roles.get(role_id)?.name, members }));
}
