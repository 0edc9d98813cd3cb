import type { CommunityRow } from '../../communities/community-records/index.ts';
import { type EvaluationContext, evaluateMember } from '../../gating/evaluation/index.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import { memberRole } from './member-role.ts';

/** `unruled`: no rule covers membership of the chat, so its admins decide, as before the bot was added. */
export type JoinVerdict = 'true' | 'false' | 'unknown' | 'unruled';

/** Evaluates the rules for a user who requests to join. */
export async function evaluateJoinRequest(
  ctx: EvaluationContext,
  community: CommunityRow,
  userId: string,
  signal?: AbortSignal,
): Promise<JoinVerdict> {
  const verdicts = await evaluateMember(ctx, community, userKey('telegram', userId), { from: 'chain', signal });
  return verdicts.find(({ roleId }) => roleId === memberRole)?.truth ?? 'unruled';
}
