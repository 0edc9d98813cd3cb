import { type CatalogPlan, listCatalog, type Services, savePlan } from '@latchkey/core';
import type { Config } from '../config.ts';

type PlanServices = Pick<Services, 'clock' | 'db'>;
type Price = CatalogPlan['prices'][number];

const inDollars = (monthly: number, yearly: number): Price[] => [
  { billingPeriod: 'monthly', currency: 'usd', amount: monthly },
  { billingPeriod: 'yearly', currency: 'usd', amount: yearly },
];

/** What the plans cost at the twin of Stripe, where money is worth nothing. In cents. */
const samplePrices: ReadonlyMap<string, Price[]> = new Map([
  ['community', inDollars(900, 9000)],
  ['paid', inDollars(1900, 19_000)],
]);

/** Once selling is switched on beside the sample community, its plans have prices to try. Those of the operator stay. */
export async function seedPrices(
  services: PlanServices,
  { selling, stripe }: Pick<Config, 'selling' | 'stripe'>,
): Promise<void> {
  // With an account of the operator's own, what things cost is for the operator to say.
  if (!selling.isOn || stripe.secretKey !== undefined) return;
  await changePrices(services, ({ prices }, sample) => (prices.length === 0 ? sample : undefined));
}

/** Nobody sells at a sample price for real money because they once tried it. */
export async function removeSamplePrices(services: PlanServices): Promise<void> {
  await changePrices(services, ({ prices }, sample) => (isSame(prices, sample) ? [] : undefined));
}

async function changePrices(
  services: PlanServices,
  choose: (plan: CatalogPlan, sample: Price[]) => Price[] | undefined,
): Promise<void> {
  for (const plan of await listCatalog(services)) {
    const sample = samplePrices.get(plan.id);
    const prices = sample && choose(plan, sample);
    if (prices === undefined) continue;
    const { id: planId, ...body } = plan;
    await savePlan(services, { planId, body: { ...body, prices } });
  }
}

function isSame(prices: readonly Price[], sample: readonly Price[]): boolean {
  const wordsOf = (list: readonly Price[]) =>
    list.map(({ billingPeriod, currency, amount, priceId }) => [billingPeriod, currency, amount, priceId].join(' '));
  return wordsOf(prices).join() === wordsOf(sample).join();
}
