import { AppError, notFound } from '@latchkey/kernel';
import { getPlan, planIdOf } from '../../services/subscription-plans/index.ts';
import type { Context } from '../../shared/context.ts';
import { type Organization, organizationIdOf, toOrganization } from './organization.ts';
import { updateOrganization } from './queries.ts';

/** Moves an organization to another plan, for the operator. Running servers follow within seconds. */
export async function setPlan(
  ctx: Pick<Context, 'actor' | 'db' | 'tx'>,
  orgId: string,
  planId: string,
): Promise<Organization> {
  if (ctx.actor.kind !== 'admin' && ctx.actor.kind !== 'system') {
    throw new AppError('ROLE_NOT_ALLOWED', 'Only the operator can change the plan of an organization.');
  }
  await getPlan(ctx, 'organization', planId);
  const [id, plan] = [organizationIdOf(orgId), planIdOf(planId)];
  const row = id && plan && (await ctx.tx((tx) => updateOrganization(tx, id, { plan_id: plan })));
  if (!row) throw notFound('organization');
  return toOrganization(row);
}
