import type { CommunityRow } from '../../communities/community-records/index.ts';
import { evaluateMember, type RoleVerdict, reasonInWords } from '../../gating/evaluation/index.ts';
import type { Context } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import { isShownToMember, readNames, truncate } from '../bot-replies/index.ts';
import { memberRole } from './member-role.ts';

/** `unruled`: no rule covers membership of the chat, so its admins decide, as before the bot was added. */
export type JoinVerdict = { truth: 'true' | 'false' | 'unknown'; verdict?: RoleVerdict } | { truth: 'unruled' };

/** Evaluates the rules for a user who requests to join. */
export async function evaluateJoinRequest(
  ctx: Context,
  community: CommunityRow,
  userId: string,
  signal?: AbortSignal,
): Promise<JoinVerdict> {
  const verdicts = await evaluateMember(ctx, community, userKey('telegram', userId), { from: 'chain', signal });
  const verdict = verdicts.find(({ roleId }) => roleId === memberRole);
  return verdict === undefined ? { truth: 'unruled' } : { truth: verdict.truth, verdict };
}

const longestReason = 1_000;

/**
 * Why a user does not qualify, in the words of /why: what the rules need and what this user has. Of rules that are not public it says no
 * more than /why does.
 */
export async function describeRefusal(ctx: Context, community: CommunityRow, join: JoinVerdict): Promise<string> {
  const t = messagesIn(ctx.locale);
  const lines = [t('telegram.notEnough', { chat: community.name })];
  if (join.truth === 'unruled' || join.verdict === undefined) return lines.join('');
  const names = await readNames(ctx, community, [], { asks: true, t });
  if (isShownToMember({ roleIds: [] }, join.verdict, names))
    lines.push(truncate(reasonInWords(join.verdict.reason, names, 'self').join('\n'), longestReason));
  return lines.join('\n');
}
