import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type Audience, planIdOf } from './plan.ts';
import { selectPlan } from './queries.ts';

/** What a purchase needs to know of a plan. */
export interface PlanForSale {
  id: string;
  audience: Audience;
  name: string;
  priceCents: number;
  /** The least number of months; 0 when there is none. */
  minBuyMonths: number;
  stripePriceId: string | undefined;
  locks: readonly { address: string; chainId: number; skipRecipient: boolean }[];
}

/** A plan by its id or sk, whoever it is for. */
export async function getPlanForSale(ctx: Pick<Context, 'db'>, planId: string): Promise<PlanForSale> {
  const id = planIdOf(planId);
  const row = id === undefined ? undefined : await selectPlan(ctx.db.system, id);
  if (row === undefined) throw notFound('plan');
  return {
    id: row.id,
    audience: row.audience,
    name: row.name,
    priceCents: row.price_cents,
    minBuyMonths: row.min_buy_months ?? 0,
    stripePriceId: row.stripe_config?.priceId,
    locks: Object.entries(row.lock_config ?? {}).map(([name, lock]) => ({
      address: lock.address ?? name,
      chainId: lock.network,
      skipRecipient: lock.skipRecipient,
    })),
  };
}
