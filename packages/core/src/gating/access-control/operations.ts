import { app, guarded, notFound, op, owns, resource, T } from '@latchkey/kernel';
import { communityReader, tenantReading } from '../../communities/access/index.ts';
import { getCommunity } from '../../communities/community-records/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { nativeUserId, userKey } from '../../shared/qualified-ids.ts';
import { type EvaluationContext, evaluateMember } from '../evaluation/index.ts';
import { checkRoles } from './check-roles.ts';
import { selectCheck } from './queries.ts';
import { toAnswer } from './to-answer.ts';
import { TokenGatingRequest, TokenGatingResponse } from './token-gating.ts';

export const accessControl = resource(
  'access-control',
  'Which roles an account qualifies for, based on its holdings.',
  [
    op(
      'POST /access-control/check-roles',
      {
        id: 'checkRoles',
        sdk: 'AccessControlController.checkRoles',
        summary: 'Check roles for a wallet',
        description:
          'Returns, for each role in the rules, whether the account qualifies for it: a role is granted when any of its rules is met. A role that could not be evaluated, for example because a chain did not respond, is left out of roles and listed in errors. With async or a callbackUrl, the response is a requestId; the result is then kept for 24 hours and sent to the callbackUrl, signed in X-CollabLand-Signature with the client application’s webhook secret.',
        access: app('token-gating'),
        body: TokenGatingRequest,
        returns: TokenGatingResponse,
      },
      checkRoles,
    ),
    op(
      'GET /access-control/check-roles/responses/{requestId}',
      {
        id: 'getCheckRolesResponse',
        sdk: 'AccessControlController.getCheckRolesResponse',
        summary: 'Get the result of an async check',
        description:
          'Returns the result of an earlier check, for 24 hours and only to the caller who started it. Until the result is ready, the response contains only the requestId.',
        access: guarded(app('token-gating'), 'requestId', 'request', ownsCheck),
        params: { requestId: T.String({ description: 'The id of the request.', minLength: 1, maxLength: 64 }) },
        returns: TokenGatingResponse,
      },
      getCheckRolesResponse,
    ),
    op(
      'GET /access-control/{communityId}/{userId}/roles',
      {
        id: 'getCommunityUserRoles',
        sdk: 'AccessControlController.getRoles',
        summary: 'Check a member’s roles',
        description:
          'Returns which of the community’s roles the member qualifies for with their linked wallets. Changes nothing. For community admins and their applications.',
        access: communityReader('communityId', 'token-gating'),
        params: {
          communityId: communityParam,
          userId: T.String({
            description: 'The id of the member: the platform’s own, or with its platform (DIS#USER#…).',
            minLength: 1,
            maxLength: 128,
          }),
        },
        returns: TokenGatingResponse,
      },
      getCommunityUserRoles,
    ),
  ],
);

/** Whether the caller requested this check. */
export async function ownsCheck(ctx: Pick<Context, 'actor' | 'clock' | 'db'>, requestId: string): Promise<boolean> {
  return owns(ctx.actor, (await selectCheck(ctx.db.system, requestId, ctx.clock()))?.owner_id);
}

/** Returns the result of a check, or only its id while it is pending. */
export async function getCheckRolesResponse(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'tx'>,
  { requestId }: { requestId: string },
): Promise<TokenGatingResponse> {
  const check = await ctx.tx((tx) => selectCheck(tx, requestId, ctx.clock()));
  if (check === undefined) throw notFound('request');
  return { requestId, ...check.answer };
}

/** Evaluates the rules of a community for one member, using the member's linked wallets. */
export async function getCommunityUserRoles(
  ctx: EvaluationContext & Pick<Context, 'actor'>,
  { communityId, userId }: { communityId: string; userId: string },
): Promise<TokenGatingResponse> {
  const tenant = await tenantReading(ctx, communityId);
  const community = await ctx.db.transaction(tenant, (tx) => getCommunity(tx, communityId));
  const { platform } = community;
  const user = nativeUserId(platform, userId) === undefined ? userKey(platform, userId) : userId;
  return toAnswer(await evaluateMember(ctx, community, user, { from: 'memory' }));
}
