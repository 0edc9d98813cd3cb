import { admin, listOf, NoContent, op, T } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { CatalogPlan, CatalogPlanBody, toCatalogPlan } from './catalog-plan.ts';
import { selectAllPlans } from './queries.ts';
import { removePlan } from './remove-plan.ts';
import { savePlan } from './save-plan.ts';

const planId = T.String({ description: 'The id of the plan, or its sk.', minLength: 1, maxLength: 69 });

/** Every plan, those that are no longer sold included. */
export async function listCatalog(ctx: Pick<Context, 'db'>): Promise<CatalogPlan[]> {
  return (await selectAllPlans(ctx.db.system)).map(toCatalogPlan);
}

export const catalogOperations = [
  op(
    'GET /latchkey/plans',
    {
      id: 'listSubscriptionPlans',
      summary: 'List all subscription plans',
      description:
        'Returns every subscription plan with all its prices, including plans that are no longer sold. For the operator. Amounts are in the smallest unit of their currency.',
      access: admin(),
      returns: listOf(CatalogPlan, 'The plans, by audience and price.'),
    },
    listCatalog,
  ),
  op(
    'PUT /latchkey/plans/{planId}',
    {
      id: 'saveSubscriptionPlan',
      summary: 'Create or replace a subscription plan',
      description:
        'Creates a subscription plan, or replaces all of it: prices by billing period and currency, limits, features, scopes and locks. Who pays already keeps their price. Running servers use the change within seconds. For the operator.',
      audit: 'subscription-plan.save',
      facts: {
        senderDecides:
          'audience name description prices billingPeriod currency amount priceId minBuyMonths maxClientApps maxMiniApps rateLimits points duration key label scopes features identifier metadata hide allowedScopes disallowedScopes locks address chainId skipRecipient checkPeriodSeconds offeredUntil',
      },
      access: admin(),
      params: { planId },
      body: CatalogPlanBody,
      returns: CatalogPlan,
      errors: ['INVALID_PARAMETER_VALUE', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    savePlan,
  ),
  op(
    'DELETE /latchkey/plans/{planId}',
    {
      id: 'deleteSubscriptionPlan',
      summary: 'Delete a subscription plan',
      description:
        'Deletes a subscription plan that nobody has or had. Fails with STATE_CONFLICT otherwise: set `offeredUntil` to stop selling it. For the operator.',
      audit: 'subscription-plan.delete',
      access: admin(),
      params: { planId },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
    },
    removePlan,
  ),
] as const;
