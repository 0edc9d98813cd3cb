import type { CommunityRow } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { decideMember, gatherFacts, type RoleVerdict } from '../judging/index.ts';
import { cannotLook, openScope } from './open-scope.ts';

/** What the rules say of somebody who is not in the community yet: which roles are deserved, and why. */
export async function judgeVisitor(
  ctx: Context,
  community: CommunityRow,
  userId: string,
  signal?: AbortSignal,
): Promise<RoleVerdict[]> {
  const scope = await openScope(ctx, community, { asked: new Set(), fresh: true, signal });
  if (scope === undefined) throw cannotLook(ctx, community);
  const facts = await gatherFacts(ctx, scope, [userId], { fresh: true, signal });
  return decideMember(scope.rules, facts, { userId, roleIds: [] });
}
