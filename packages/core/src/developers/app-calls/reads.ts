import { readRateWindows } from '@latchkey/db';
import { notFound, type Page } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { PlanLimits } from '../../money/plans/index.ts';
import { type PageRequest, paginate } from '../../paging.ts';
import { findPlanOfApp } from '../client-apps/index.ts';
import { type ClientAppCall, idleAfterDays } from './call.ts';
import { findKeyUse, selectCalls, selectDays } from './queries.ts';
import { type ClientAppUsage, daysShown, type UsageLimit } from './usage.ts';

const dayMs = 24 * 60 * 60 * 1000;

export async function listClientAppCalls(
  ctx: Pick<Context, 'actor' | 'clock' | 'keyring' | 'random' | 'tx'>,
  { id, onlyErrors = false, ...page }: PageRequest & { id: string; onlyErrors?: boolean | undefined },
): Promise<Page<ClientAppCall>> {
  return ctx.tx(async (tx) => {
    const { items, ...rest } = await paginate(ctx, page, {
      list: `app-calls:${id}:${onlyErrors}`,
      read: (after, limit) => selectCalls(tx, { clientId: id, onlyErrors }, after, limit),
      cursorOf: (row) => [row.called_at.toISOString(), row.id],
    });
    return {
      ...rest,
      items: items.map((row) => ({
        calledAt: row.called_at.toISOString(),
        method: row.method,
        route: row.route,
        status: row.status,
        errorCode: row.error_code ?? undefined,
        tookMs: row.took_ms,
        requestId: row.request_id,
        credential: row.credential,
      })),
    };
  });
}

export async function getClientAppUsage(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'settings' | 'tx'>,
  { id }: { id: string },
): Promise<ClientAppUsage> {
  const now = ctx.clock();
  const { found, days, use } = await ctx.tx(async (tx) => ({
    found: await findPlanOfApp(ctx, tx, id),
    days: await selectDays(tx, id, new Date(now.getTime() - (daysShown - 1) * dayMs).toISOString().slice(0, 10)),
    use: await findKeyUse(tx, id),
  }));
  if (found === undefined) throw notFound('client application');
  const { plan, apps, keyMadeAt } = found;
  const lastUsed = use?.key_used_at ?? undefined;
  return {
    planName: plan.name,
    apps,
    maxApps: plan.maxApiKeys,
    limits: await readLimits(ctx, id, plan.rateLimits),
    days,
    keyLastUsedAt: lastUsed?.toISOString(),
    oldKeyLastUsedAt: use?.old_key_used_at?.toISOString(),
    isKeyIdle: now.getTime() - (lastUsed ?? keyMadeAt).getTime() > idleAfterDays * dayMs,
    keepsCalls: ctx.settings.keepCalls ?? true,
  };
}

/** Processes reserve points ahead, so that `used` is at most so much more than was called. */
async function readLimits(
  ctx: Pick<Context, 'clock' | 'db'>,
  id: string,
  rules: PlanLimits['rateLimits'],
): Promise<UsageLimit[]> {
  const bucketOf = ({ key, durationSeconds }: (typeof rules)[number]) => `client:${id}:${key}/${durationSeconds}`;
  const windows = await readRateWindows(ctx.db.system, rules.map(bucketOf));
  const now = ctx.clock().getTime();
  return rules.map((rule) => {
    const window = windows.get(bucketOf(rule));
    const endsAt = window && window.startedAt.getTime() + rule.durationSeconds * 1000;
    const isOpen = endsAt !== undefined && endsAt > now;
    return {
      scopes: [...rule.scopes],
      limit: rule.points,
      durationSeconds: rule.durationSeconds,
      used: isOpen && window !== undefined ? Math.min(rule.points, window.used) : 0,
      resetsAt: isOpen ? new Date(endsAt).toISOString() : undefined,
    };
  });
}
