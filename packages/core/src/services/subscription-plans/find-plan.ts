import { type Database, oneFor } from '@latchkey/db';
import { splitScopes } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { freePlanId, type PlanLimits } from './plan.ts';
import { type PlanRow, selectPlan } from './queries.ts';

type PlanContext = Pick<Context, 'db' | 'clock'>;
type Read = { at: number; limits: Promise<PlanLimits | undefined> };

export const cacheTtlSeconds = 10;

// Cached per database, so that two platforms in one process do not share entries.
const cacheOf = oneFor((_db: Database) => new Map<string, Read>());

/** Returns what a plan allows, at most ten seconds old: every request needs it. Concurrent requests share one read. */
export function findPlan(ctx: PlanContext, planId: string): Promise<PlanLimits | undefined> {
  const cache = cacheOf(ctx.db);
  const now = ctx.clock().getTime();
  const known = cache.get(planId);
  if (known !== undefined && Math.abs(now - known.at) < cacheTtlSeconds * 1000) return known.limits;
  const read: Read = { at: now, limits: readLimits(ctx, planId) };
  cache.set(planId, read);
  // Caches only existing plans: otherwise ids that callers make up would fill the cache, and a failed read would
  // persist.
  const forget = () => {
    if (cache.get(planId) === read) cache.delete(planId);
  };
  read.limits.then((limits) => limits === undefined && forget(), forget);
  return read.limits;
}

/** Returns the limits of a plan; those of the free one without a plan, or if the plan was deleted. */
export async function planLimits(ctx: PlanContext, planId: string | undefined): Promise<PlanLimits> {
  const limits = (await findPlan(ctx, planId ?? freePlanId)) ?? (await findPlan(ctx, freePlanId));
  if (limits === undefined) throw new Error(`The plan "${freePlanId}" is missing from the database. Restore it.`);
  return limits;
}

async function readLimits(ctx: PlanContext, planId: string): Promise<PlanLimits | undefined> {
  const row = await selectPlan(ctx.db.system, planId);
  return row && toLimits(row);
}

function toLimits(row: PlanRow): PlanLimits {
  return {
    planId: row.id,
    name: row.name,
    maxApiKeys: row.max_api_keys,
    maxMiniApps: row.max_mini_apps,
    rateLimits: row.rate_limits.map(({ key, points, duration, scopes }) => ({
      key,
      points,
      durationSeconds: duration,
      scopes: splitScopes(scopes),
    })),
    allowedScopes: row.allowed_scopes,
    disallowedScopes: row.disallowed_scopes,
  };
}
