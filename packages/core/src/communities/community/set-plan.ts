import type { Sql } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { getPlan, planIdOf, selectCheckPeriod } from '../../services/subscription-plans/index.ts';
import type { Context } from '../../shared/context.ts';
import { getCommunity } from './own-community.ts';
import { deletePlan, selectActivePlans, upsertPlan } from './plan-queries.ts';

export const starterPlanId = 'starter';

type PlanContext = Pick<Context, 'actor' | 'clock' | 'db' | 'tx'>;

/** Puts a community on a plan, for good or until a time: for the operator and for payments. */
export async function givePlan(ctx: PlanContext, communityId: string, planId: string, until?: Date): Promise<void> {
  const id = await knownPlan(ctx, planId);
  await ctx.tx(async (tx) => {
    const { id: community_id } = await getCommunity(tx, communityId);
    await upsertPlan(tx, { community_id, plan_id: id, since: ctx.clock(), until: until ?? null });
  });
}

/** Takes a plan away from a community: for the operator and for payments. */
export async function takePlan(ctx: PlanContext, communityId: string, planId: string): Promise<void> {
  const id = await knownPlan(ctx, planId);
  await ctx.tx(async (tx) => {
    await deletePlan(tx, (await getCommunity(tx, communityId)).id, id);
  });
}

async function knownPlan(ctx: PlanContext, planId: string): Promise<string> {
  if (ctx.actor.kind !== 'admin' && ctx.actor.kind !== 'system')
    throw new AppError('ROLE_NOT_ALLOWED', 'Only the operator changes the plans of a community.');
  await getPlan(ctx, 'community', planId);
  return planIdOf(planId) ?? planId;
}

/** How often the members of a community are looked at again: the shortest period among its plans. */
export async function checkPeriodSeconds(db: Sql, communityId: string, now: Date): Promise<number> {
  const active = (await selectActivePlans(db, [communityId], now)).get(communityId) ?? [];
  const period = await selectCheckPeriod(db, [...active, starterPlanId]);
  if (period === undefined) throw new Error(`The plan "${starterPlanId}" is missing from the database; put it back.`);
  return period;
}
