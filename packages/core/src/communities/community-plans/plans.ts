import type { Sql, Tx } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import {
  type FeatureName,
  featuresOf,
  getPlan,
  includesFeature,
  listPlans,
  notInPlan,
  planIdOf,
  selectCheckPeriod,
  sellsPlans,
} from '../../services/subscription-plans/index.ts';
import type { Context } from '../../shared/context.ts';
import { getCommunity } from '../community-records/index.ts';

export interface CommunityPlanRow {
  community_id: string;
  plan_id: string;
  since: Date;
  until: Date | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    community_plans: CommunityPlanRow;
  }
}

/** The plans that these communities are on at a given time, by community. */
export async function selectActivePlans(
  db: Sql,
  communityIds: readonly string[],
  now: Date,
): Promise<Map<string, string[]>> {
  if (communityIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('community_plans')
    .select(['community_id', 'plan_id'])
    .where('community_id', '=', (eb) => eb.fn.any(eb.val([...communityIds])))
    .where('since', '<=', now)
    .where((eb) => eb.or([eb('until', 'is', null), eb('until', '>', now)]))
    .orderBy('since')
    .orderBy('plan_id')
    .execute();
  const byCommunity = Map.groupBy(rows, (row) => row.community_id);
  return new Map([...byCommunity].map(([id, plans]) => [id, plans.map(({ plan_id }) => plan_id)]));
}

export async function insertPlan(tx: Tx, row: CommunityPlanRow): Promise<void> {
  await tx.insertInto('community_plans').values(row).execute();
}

export async function upsertPlan(tx: Tx, row: CommunityPlanRow): Promise<void> {
  const { since, until } = row;
  await tx
    .insertInto('community_plans')
    .values(row)
    .onConflict((conflict) => conflict.columns(['community_id', 'plan_id']).doUpdateSet({ since, until }))
    .execute();
}

export async function deletePlan(tx: Tx, communityId: string, planId: string): Promise<void> {
  await tx
    .deleteFrom('community_plans')
    .where('community_id', '=', communityId)
    .where('plan_id', '=', planId)
    .execute();
}

export const starterPlanId = 'starter';

type PlanContext = Pick<Context, 'actor' | 'clock' | 'db' | 'tx'>;

/** Puts a community on a plan, permanently or until a time. For the operator and for payments. */
export async function givePlan(ctx: PlanContext, communityId: string, planId: string, until?: Date): Promise<void> {
  const id = await knownPlan(ctx, planId);
  await ctx.tx(async (tx) => {
    const { id: community_id } = await getCommunity(tx, communityId);
    await upsertPlan(tx, { community_id, plan_id: id, since: ctx.clock(), until: until ?? null });
  });
}

/** Removes a plan from a community. For the operator and for payments. */
export async function takePlan(ctx: PlanContext, communityId: string, planId: string): Promise<void> {
  const id = await knownPlan(ctx, planId);
  await ctx.tx(async (tx) => {
    await deletePlan(tx, (await getCommunity(tx, communityId)).id, id);
  });
}

async function knownPlan(ctx: PlanContext, planId: string): Promise<string> {
  if (ctx.actor.kind !== 'admin' && ctx.actor.kind !== 'system')
    throw new AppError('ROLE_NOT_ALLOWED', 'Only the operator can change the plans of a community.');
  await getPlan(ctx, 'community', planId);
  return planIdOf(planId) ?? planId;
}

/** How often the members of a community are re-checked: the shortest period among its plans. */
export async function checkPeriodSeconds(db: Sql, communityId: string, now: Date): Promise<number> {
  const active = (await selectActivePlans(db, [communityId], now)).get(communityId) ?? [];
  const period = await selectCheckPeriod(db, [...active, starterPlanId]);
  if (period === undefined) throw new Error(`The plan "${starterPlanId}" is missing from the database. Restore it.`);
  return period;
}

type FeatureContext = Pick<Context, 'actor' | 'clock' | 'db' | 'settings'>;

/**
 * Refuses a feature that no plan of a community includes. Everything is included if plans are not sold, and for the
 * operator.
 */
export async function requireFeature(
  ctx: FeatureContext,
  communityId: string,
  wanted: FeatureName,
  detail?: string,
): Promise<void> {
  if (!sellsPlans(ctx) || ctx.actor.kind === 'admin' || ctx.actor.kind === 'system') return;
  const given = (await selectActivePlans(ctx.db.system, [communityId], ctx.clock())).get(communityId) ?? [];
  const active = [...new Set([...given, starterPlanId])];
  const all = await listPlans(ctx, 'community');
  if (!includesFeature(featuresOf(all, active), wanted, detail)) throw notInPlan(all, active, wanted, detail);
}
