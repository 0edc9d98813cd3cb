import { selectMembers } from '../../../communities/memberships/index.ts';
import type { Context } from '../../../shared/context.ts';
import { selectOpenItems } from './change-set-queries.ts';

/** Returns the roles that a member has, without those being removed; undefined if they are not a member. */
export async function readRoles(
  ctx: Pick<Context, 'db'>,
  communityId: string,
  userId: string,
): Promise<readonly string[] | undefined> {
  // Read before the roles: a role that is removed in between is then in neither.
  const open = await selectOpenItems(ctx.db.system, communityId, [userId]);
  const [member] = await selectMembers(ctx.db.system, communityId, [userId]);
  if (member === undefined || member.left_at !== null || member.is_bot) return undefined;
  // A removal that is held for approval is not decided yet.
  const leaving = open.filter(({ action, state }) => action === 'revoke' && state !== 'planned');
  return member.role_ids.filter((roleId) => !leaving.some((item) => item.role_id === roleId));
}
