import type { JobRun } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { changeRoles } from '../../gating/role-plans/index.ts';
import { type CommunityRow, selectCommunity, userKey } from '../communities/index.ts';
import { connectLink } from './connect-link.ts';
import { judgeAtDoor } from './judge-at-door.ts';
import { memberRole } from './member-role.ts';
import { tell } from './tell.ts';

export interface JoinRequest {
  communityId: string;
  userId: string;
  /** The chat in which the user can be answered. */
  replyTo: string;
}

/**
 * Answers a request to join. Who qualifies is let in; who does not is told what to do; while it cannot be found out, it
 * throws and the request stays open.
 */
export async function decideJoin(
  ctx: Context,
  { communityId, userId, replyTo }: JoinRequest,
  { signal, attempt }: Pick<JobRun, 'signal' | 'attempt'>,
): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community?.status !== 'active' || ctx.telegram === undefined) return;
  const verdict = await judgeAtDoor(ctx, community, userId, signal);
  if (verdict === 'true') return answer(ctx, community, userId, 'grant');
  if (verdict === 'false') {
    // Told first: Telegram lets the bot write to a stranger only as long as the request is open.
    const words = `${community.name} asks for tokens that your linked wallets do not hold. Link another wallet and ask again.`;
    await tell(ctx, replyTo, words, await connectLink(ctx, userId), signal);
    return answer(ctx, community, userId, 'revoke');
  }
  if (verdict === 'unruled') return;
  if (attempt === 1)
    await tell(ctx, replyTo, 'Your wallets cannot be read just now. Your request stays open.', undefined, signal);
  throw new Error('The wallets of somebody who wants to join cannot be read yet.');
}

/** Lets somebody in or turns them away. What Telegram does not take now is decided anew. */
async function answer(
  ctx: Context,
  community: CommunityRow,
  userId: string,
  action: 'grant' | 'revoke',
): Promise<void> {
  const member = { userId: userKey('telegram', userId), roleId: memberRole };
  const { problem } = await changeRoles(ctx, community, {
    cause: 'join',
    changes: [{ ...member, action, reason: { joinRequest: action === 'grant' ? 'approved' : 'declined' }, blocks: {} }],
    mayWait: false,
  });
  if (problem !== undefined) throw new Error(problem);
}
