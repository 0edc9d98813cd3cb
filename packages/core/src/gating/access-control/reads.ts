import { notFound, owns } from '@latchkey/kernel';
import { getCommunity, nativeUserId, tenantReading, userKey } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { type JudgeContext, judgeMember } from '../judging/index.ts';
import { selectCheck } from './queries.ts';
import { toAnswer } from './to-answer.ts';
import type { TokenGatingResponse } from './token-gating.ts';

/** True when the caller asked for this check. */
export async function ownsCheck(ctx: Pick<Context, 'actor' | 'clock' | 'db'>, requestId: string): Promise<boolean> {
  return owns(ctx.actor, (await selectCheck(ctx.db.system, requestId, ctx.clock()))?.owner_id);
}

/** The answer of a check, or only its id as long as it is not decided. */
export async function getCheckRolesResponse(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'tx'>,
  { requestId }: { requestId: string },
): Promise<TokenGatingResponse> {
  const check = await ctx.tx((tx) => selectCheck(tx, requestId, ctx.clock()));
  if (check === undefined) throw notFound('request');
  return { requestId, ...check.answer };
}

/** Holds the rules of a community against one member, with the wallets the member linked. */
export async function getCommunityUserRoles(
  ctx: JudgeContext & Pick<Context, 'actor'>,
  { communityId, userId }: { communityId: string; userId: string },
): Promise<TokenGatingResponse> {
  const tenant = await tenantReading(ctx, communityId);
  const community = await ctx.db.transaction(tenant, (tx) => getCommunity(tx, communityId));
  const { platform } = community;
  const user = nativeUserId(platform, userId) === undefined ? userKey(platform, userId) : userId;
  return toAnswer(await judgeMember(ctx, community, user, { from: 'memory' }));
}
