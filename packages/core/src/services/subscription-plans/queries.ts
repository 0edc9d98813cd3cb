import { type Sql, sql, type Tx } from '@latchkey/db';
import type { BillingPeriod, PlanPrice } from '../../ports/index.ts';
import type { Audience, SubscriptionPlan } from './plan.ts';

/** A stored plan. */
export interface PlanRow {
  id: string;
  audience: Audience;
  name: string;
  /** In the smallest unit of the currency. */
  price_cents: number;
  currency: string;
  billing_period: BillingPeriod;
  other_prices: PlanPrice[];
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
  offered_until: Date | null;
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

export function selectPlanOfPrice(db: Sql, priceId: string): Promise<PlanRow | undefined> {
  return db
    .selectFrom('plans')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb(sql<string>`stripe_config ->> 'priceId'`, '=', priceId),
        sql<boolean>`other_prices @> ${JSON.stringify([{ priceId }])}::jsonb`,
      ]),
    )
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
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

/** Returns the shortest re-check period among these plans. */
export async function selectCheckPeriod(db: Sql, ids: readonly string[]): Promise<number | undefined> {
  const row = await db
    .selectFrom('plans')
    .select((eb) => eb.fn.min('check_period_seconds').as('period'))
    .where('id', 'in', [...ids])
    .executeTakeFirst();
  return row?.period ?? undefined;
}

export function selectAllPlans(db: Sql): Promise<PlanRow[]> {
  return db.selectFrom('plans').selectAll().orderBy('audience').orderBy('price_cents').orderBy('id').execute();
}

type JsonColumn = 'features' | 'lock_config' | 'other_prices' | 'rate_limits' | 'stripe_config';

/** A plan to store. The driver would write arrays as PostgreSQL arrays, so JSON is passed as text. */
export type NewPlan = Omit<PlanRow, JsonColumn> & Record<JsonColumn, string | null>;

export async function upsertPlanRow(tx: Tx, row: NewPlan): Promise<PlanRow> {
  const stored = row as unknown as PlanRow;
  return tx
    .insertInto('plans')
    .values(stored)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(stored))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deletePlanRow(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('plans').where('id', '=', id).executeTakeFirst();
  return numDeletedRows === 1n;
}
