import type { Sql } from '@latchkey/db';
import { AppError, notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { BillingPeriod, PlanPrice } from '../../ports/index.ts';
import { type Audience, planIdOf } from './plan.ts';
import { type PlanRow, selectPlan, selectPlanOfPrice } from './queries.ts';

/** What a purchase needs to know of a plan. */
export interface PlanForSale {
  id: string;
  audience: Audience;
  name: string;
  /** Every price it is sold at by card, the one that is shown first at the front. */
  prices: readonly PlanPrice[];
  /** The least number of months; 0 when there is none. */
  minBuyMonths: number;
  offeredUntil: Date | undefined;
  locks: readonly { address: string; chainId: number; skipRecipient: boolean }[];
}

/** A plan by its id or sk, whoever it is for. */
export async function getPlanForSale(ctx: Pick<Context, 'db'>, planId: string): Promise<PlanForSale> {
  const id = planIdOf(planId);
  const row = id === undefined ? undefined : await selectPlan(ctx.db.system, id);
  if (row === undefined) throw notFound('plan');
  return toPlanForSale(row);
}

/** The plan that a price at the card provider is for: by what the price itself says, or by its id. */
export async function findPlanOfPrice(
  db: Sql,
  price: { id: string; planId: string | undefined },
): Promise<PlanForSale | undefined> {
  const named = price.planId === undefined ? undefined : await selectPlan(db, price.planId);
  const row = named ?? (await selectPlanOfPrice(db, price.id));
  return row && toPlanForSale(row);
}

function toPlanForSale(row: PlanRow): PlanForSale {
  return {
    id: row.id,
    audience: row.audience,
    name: row.name,
    prices: pricesOf(row),
    minBuyMonths: row.min_buy_months ?? 0,
    offeredUntil: row.offered_until ?? undefined,
    locks: Object.entries(row.lock_config ?? {}).map(([name, lock]) => ({
      address: lock.address ?? name,
      chainId: lock.network,
      skipRecipient: lock.skipRecipient,
    })),
  };
}

/** All prices of a plan; none when it costs nothing. */
export function pricesOf(row: PlanRow): PlanPrice[] {
  const priceId = row.stripe_config?.priceId;
  const money = { billingPeriod: row.billing_period, amount: row.price_cents, currency: row.currency };
  const first = { ...money, ...(priceId !== undefined && { priceId }) };
  return [...(row.price_cents > 0 || priceId !== undefined ? [first] : []), ...row.other_prices];
}

interface WantedPrice {
  billingPeriod?: BillingPeriod | undefined;
  currency?: string | undefined;
}

/** The first price that is as wanted. What is not said, the plan decides. */
export function choosePrice(plan: PlanForSale, { billingPeriod, currency }: WantedPrice): PlanPrice {
  if (plan.prices.length === 0) throw new AppError('VALIDATION_FAILED', `The plan ${plan.name} is not sold by card.`);
  const found = plan.prices.find(
    (price) =>
      price.billingPeriod === (billingPeriod ?? price.billingPeriod) && price.currency === (currency ?? price.currency),
  );
  if (found !== undefined) return found;
  const offered = plan.prices.map((price) => `${price.billingPeriod} in ${price.currency}`).join(', ');
  throw new AppError('VALIDATION_FAILED', `The plan ${plan.name} is not sold like that. It is sold ${offered}.`);
}
