import {
  addDays,
  dayOf,
  notFound,
  op,
  type Page,
  pageOf,
  pageParams,
  record,
  T,
  text,
  texts,
  type ValueOf,
} from '@latchkey/kernel';
import { findPlanOfApp, ownApp } from '../../identity/client-apps/index.ts';
import { readRateWindows } from '../../services/requests/index.ts';
import type { PlanLimits } from '../../services/subscription-plans/index.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { ClientAppCall, idleAfterDays, keepLinesDays, linesPerMinute } from './call.ts';
import { findKeyUse, selectCalls, selectDays } from './queries.ts';

/** How many days of statistics are shown. */
const daysShown = 30;

const count = (description: string) => T.Integer({ description, format: 'int32', minimum: 0, maximum: 2_147_483_647 });
const time = (description: string) => T.Optional(text(`${description}, as an ISO 8601 time.`, { maxLength: 32 }));

const UsageLimitRecord = record('ClientAppLimit', 'A rate limit, and how much of it is used.', {
  scopes: texts('The scopes whose operations count; $all means every operation.', { maxLength: 64 }),
  limit: count('How many calls are allowed in a window.'),
  durationSeconds: count('How long a window lasts, in seconds.'),
  used: count('How many calls of the current window are used; servers reserve a few ahead.'),
  resetsAt: time('When the current window ends; absent if nothing was counted'),
});
type UsageLimit = ValueOf<typeof UsageLimitRecord>;

const UsageDay = record('ClientAppDay', 'The calls of one day.', {
  day: text('The day in UTC, as YYYY-MM-DD.', { maxLength: 10 }),
  calls: count('All calls.'),
  refused: count('Calls that returned a 4xx status.'),
  failed: count('Calls that returned a 5xx status.'),
});

const ClientAppUsage = record('ClientAppUsage', 'An application’s usage, and what its plan allows.', {
  planName: text('The plan that sets the limits.', { maxLength: 200 }),
  apps: count('How many client applications are on this plan.'),
  maxApps: count('How many the plan allows.'),
  limits: T.Array(UsageLimitRecord, { description: 'The rate limits of the plan.', maxItems: 100 }),
  days: T.Array(UsageDay, { description: `The last ${daysShown} days with calls, oldest first.`, maxItems: daysShown }),
  keyLastUsedAt: time('When the API key was last used; absent if it never was'),
  oldKeyLastUsedAt: time('When a replaced API key was last used during its overlap'),
  isKeyIdle: T.Boolean({ description: 'Whether the API key has been unused for 30 days.' }),
  keepsCalls: T.Boolean({ description: 'Whether this server keeps a log of calls.' }),
});
type ClientAppUsage = ValueOf<typeof ClientAppUsage>;

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
    days: await selectDays(tx, id, dayOf(addDays(now, -(daysShown - 1)))),
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

/** Processes reserve points ahead, so `used` may be slightly more than was called. */
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

const id = T.String({ description: 'The client id.', minLength: 1, maxLength: 128 });

export const appCallOperations = [
  op(
    'GET /latchkey/client-apps/{id}/calls',
    {
      id: 'listClientAppCalls',
      summary: 'List an application’s recent calls',
      description: `Returns the calls that one of your client applications made in the last ${keepLinesDays} days, newest first, with their request ids but without bodies and IP addresses. Calls appear after a few seconds. For a busy application, about ${linesPerMinute} calls per minute are kept. Empty if the operator has turned the log off.`,
      access: ownApp('id'),
      params: {
        id,
        onlyErrors: T.Optional(T.Boolean({ description: 'Only calls that were refused or failed.' })),
        ...pageParams,
      },
      returns: pageOf(ClientAppCall, 'ClientAppCallPage'),
      errors: ['ENTITY_NOT_FOUND'],
      paginated: 'token',
    },
    listClientAppCalls,
  ),
  op(
    'GET /latchkey/client-apps/{id}/usage',
    {
      id: 'getClientAppUsage',
      summary: 'Get an application’s usage',
      description: `Returns how many calls one of your client applications made on each of the last ${daysShown} days, how much of each rate limit of its plan is used, and when its API key was last used.`,
      access: ownApp('id'),
      params: { id },
      returns: ClientAppUsage,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getClientAppUsage,
  ),
] as const;
