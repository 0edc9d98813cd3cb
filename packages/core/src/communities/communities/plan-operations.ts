import { alsoLimited, app, listOf, op, shape, T, text } from '@latchkey/kernel';
import { SubscriptionPlan } from '../../money/plans/index.ts';
import { communityAdmin, scopelessReader } from './access.ts';
import { communityParam } from './params.ts';
import { getCommunityPlan, getCommunityPlans, getPremiumSupportUrl, getSubscriptions } from './plan-reads.ts';

export const planOperations = [
  op(
    'GET /communities/plans',
    {
      id: 'getCommunityPlans',
      sdk: 'CommunityPlanController.getPlans',
      summary: 'List the plans for communities',
      description: 'Returns every plan a community can be on, the cheapest first.',
      access: alsoLimited(app(), { harmless: 'Plans and prices are the same for everybody.' }),
      returns: listOf(SubscriptionPlan, 'The plans, the cheapest first.'),
    },
    getCommunityPlans,
  ),
  op(
    'GET /communities/plans/{planId}',
    {
      id: 'getCommunityPlan',
      sdk: 'CommunityPlanController.getPlan',
      summary: 'Read a plan for communities',
      description: 'Returns one plan a community can be on, by its id or its sk.',
      facts: { idsOfNobody: { planId: 'The plans are the same for everyone.' } },
      access: alsoLimited(app(), { harmless: 'Plans and prices are the same for everybody.' }),
      params: { planId: T.String({ description: 'The id of the plan, or its sk.', minLength: 1, maxLength: 69 }) },
      returns: SubscriptionPlan,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getCommunityPlan,
  ),
  op(
    'GET /communities/{communityId}/subscriptions',
    {
      id: 'getCommunitySubscriptions',
      sdk: 'CommunityPlanController.getSubscriptions',
      summary: 'List the plans of a community',
      description:
        'Returns the plans that a community is on. For its admins, and for client applications that list it with `GET /communities`.',
      access: scopelessReader('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: listOf(SubscriptionPlan, 'The plans it is on, the cheapest first.'),
    },
    getSubscriptions,
  ),
  op(
    'GET /communities/{id}/premium-support',
    {
      id: 'getPremiumSupportUrl',
      sdk: 'CommunityController.getPremiumSupportUrl',
      summary: 'Get the premium support address',
      description:
        'Returns the address of premium support, for communities whose plan includes it; the operator writes the address into the plan.',
      access: communityAdmin('id'),
      params: { id: communityParam },
      returns: shape(T.Object({ url: text('Where help is found.') })),
      errors: ['PLAN_LIMIT_REACHED'],
    },
    getPremiumSupportUrl,
  ),
] as const;
