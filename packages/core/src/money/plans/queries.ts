import type { Sql } from '@latchkey/db';
import type { Audience, SubscriptionPlan } from './plan.ts';

/** A plan as it is stored. */
export interface PlanRow {
  id: string;
  audience: Audience;
  name: string;
  price_cents: number;
  billing_period: string;
  min_buy_months: number | null;
  max_api_keys: number;
  max_mini_apps: number;
  rate_limits: NonNullable<SubscriptionPlan['rateLimits']>;
  features: NonNullable<SubscriptionPlan['features']>;
  description: string | null;
  allowed_scopes: string[] | null;
  disallowed_scopes: string[];
  lock_config: SubscriptionPlan['lockConfig'] | null;
  stripe_config: SubscriptionPlan['stripeConfig'] | null;
  check_period_seconds: number | null;
  created_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    plans: PlanRow;
  }
}

export function selectPlan(db: Sql, id: string): Promise<PlanRow | undefined> {
  return db.selectFrom('plans').selectAll().where('id', '=', id).executeTakeFirst();
}

export function selectPlans(db: Sql, audience: Audience): Promise<PlanRow[]> {
  return db
    .selectFrom('plans')
    .selectAll()
    .where('audience', '=', audience)
    .orderBy('price_cents')
    .orderBy('id')
    .execute();
}

/** The shortest period in which one of these plans has members looked at again. */
export async function selectCheckPeriod(db: Sql, ids: readonly string[]): Promise<number | undefined> {
  const row = await db
    .selectFrom('plans')
    .select((eb) => eb.fn.min('check_period_seconds').as('period'))
    .where('id', 'in', [...ids])
    .executeTakeFirst();
  return row?.period ?? undefined;
}
