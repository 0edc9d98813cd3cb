import { selectMembers } from '../../communities/members/index.ts';
import type { Truth } from '../rules/index.ts';
import { type JudgeContext, judgeMember } from './judge.ts';

/**
 * What each rule of a community says of a member now, by the id of the rule; undefined for who is no member. Stored
 * answers count as long as no change of them was heard, so that asking often costs the chains nothing.
 */
export async function readRules(
  ctx: JudgeContext,
  communityId: string,
  userId: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Truth> | undefined> {
  const [member] = await selectMembers(ctx.db.system, communityId, [userId]);
  if (member === undefined || member.left_at !== null || member.is_bot) return undefined;
  const verdicts = await judgeMember(ctx, { id: communityId }, userId, { signal });
  return new Map(verdicts.flatMap(({ reason }) => reason.rules).map(({ id, truth }) => [id, truth]));
}
