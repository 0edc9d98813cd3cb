import { readFile } from 'node:fs/promises';
import {
  type CatalogPlan,
  CatalogPlanBody,
  type Context,
  giveSubscriptionPlan,
  listCatalog,
  removePlan,
  savePlan,
  takeSubscriptionPlan,
} from '@latchkey/core';
import { notFound } from '@latchkey/kernel';
import { createAjv } from '@latchkey/kernel/validate';
import type { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { type Command, need, UsageError, unknownSubcommand } from '../command.ts';
import { option } from '../input.ts';
import { print, printTable } from '../print.ts';
import { runAudited } from '../run-audited.ts';

type Options = Parameters<Command['run']>[2];
type Price = CatalogPlan['prices'][number];

export const subscriptionPlans: Command = {
  usage:
    'subscription-plans | show <id> | save <id> <file.json> | price <id> <amount> [--currency usd] [--period monthly|yearly] | delete <id> | give|take <id> <subscriber>',
  meaning:
    'list plans and prices; show a plan as JSON, save one from a file, set a price in the smallest unit of its currency (1799 is $17.99; 0 removes it), delete one, or give one to an organization or community for free and take it away',
  words: 3,
  options: {
    currency: option.short('Three letters.'),
    period: option.short('monthly or yearly.'),
    reason: option.reason,
  },
  run: async (ctx, [verb, id, value], options) => {
    if (verb === undefined) return list(ctx);
    const planId = need(id, 'plan id');
    if (verb === 'show') return print(JSON.stringify(bodyOf(await getPlan(ctx, planId)), undefined, 2));
    if (verb === 'save') return save(ctx, planId, await readBody(need(value, 'plan file')), options);
    if (verb === 'price') return setPrice(ctx, planId, need(value, 'amount, for example 1799'), options);
    if (verb === 'delete') return remove(ctx, planId, options);
    if (verb !== 'give' && verb !== 'take') throw unknownSubcommand(verb);
    return giveOrTake(ctx, verb, planId, need(value, 'organization or community id'), options);
  },
};

async function list(ctx: Context): Promise<void> {
  const plans = await listCatalog(ctx);
  printTable([
    ['ID', 'FOR', 'NAME', 'PRICES', 'FEATURES'],
    ...plans.map(({ id, audience, name, prices, features = [] }) => [
      id,
      audience,
      name,
      prices.map(({ amount, currency, billingPeriod }) => `${amount} ${currency} ${billingPeriod}`).join(', ') || '–',
      features.map(({ identifier }) => identifier).join(' '),
    ]),
  ]);
}

async function getPlan(ctx: Context, planId: string): Promise<CatalogPlan> {
  const plan = (await listCatalog(ctx)).find(({ id }) => id === planId);
  if (plan === undefined) throw notFound('plan');
  return plan;
}

function bodyOf({ id: _id, ...body }: CatalogPlan): CatalogPlanBody {
  return body;
}

async function save(ctx: Context, planId: string, body: CatalogPlanBody, { reason }: Options): Promise<void> {
  const use = { action: 'subscription-plan.save', target: planId, reason } as const;
  const { name, prices } = await runAudited(ctx, use, () => savePlan(ctx, { planId, body }));
  print(`The plan ${name} is saved, with ${prices.length} ${prices.length === 1 ? 'price' : 'prices'}.`);
}

async function setPrice(ctx: Context, planId: string, text: string, options: Options): Promise<void> {
  if (!/^(0|[1-9]\d{0,7})$/.test(text))
    throw new UsageError('The amount must be a whole number in the smallest unit of the currency: 1799 is $17.99.');
  const { period: billingPeriod = 'monthly', currency = 'usd' } = options;
  if (billingPeriod !== 'monthly' && billingPeriod !== 'yearly')
    throw new UsageError('--period must be monthly or yearly.');
  if (!/^[a-z]{3}$/.test(currency)) throw new UsageError('--currency must be three lowercase letters, such as usd.');
  const body = bodyOf(await getPlan(ctx, planId));
  const price = { billingPeriod, currency, amount: Number(text) } as const;
  await save(ctx, planId, { ...body, prices: withPrice(body.prices, price) }, options);
}

/** Replaces the price for the same period and currency, or appends it. */
function withPrice(prices: readonly Price[], price: Price): Price[] {
  const isSame = (one: Price) => one.billingPeriod === price.billingPeriod && one.currency === price.currency;
  const changed = prices.some(isSame) ? prices.map((one) => (isSame(one) ? price : one)) : [...prices, price];
  return changed.filter(({ amount }) => amount > 0);
}

async function remove(ctx: Context, planId: string, { reason }: Options): Promise<void> {
  const use = { action: 'subscription-plan.delete', target: planId, reason } as const;
  await runAudited(ctx, use, () => removePlan(ctx, { planId }));
  print(`The plan ${planId} is deleted.`);
}

async function giveOrTake(
  ctx: Context,
  verb: 'give' | 'take',
  planId: string,
  subscriberId: string,
  { reason }: Options,
): Promise<void> {
  const change = verb === 'give' ? giveSubscriptionPlan : takeSubscriptionPlan;
  const use = { action: `subscription-plan.${verb}`, target: subscriberId, reason, details: { planId } } as const;
  await runAudited(ctx, use, () => change(ctx, { planId, subscriberId }));
  print(verb === 'give' ? `${subscriberId} now has the plan ${planId}.` : `${subscriberId} no longer has ${planId}.`);
}

const ajv = createAjv();
(addFormats as unknown as (ajv: Ajv) => void)(ajv);

/** Reads a plan from a file, with the API's validation. */
async function readBody(path: string): Promise<CatalogPlanBody> {
  let body: unknown;
  try {
    body = JSON.parse(await readFile(path, 'utf8'));
  } catch {
    throw new UsageError(`The file ${path} cannot be read as JSON.`);
  }
  if (ajv.validate<CatalogPlanBody>(CatalogPlanBody, body)) return body;
  throw new UsageError(`The file ${path} is not a valid plan: ${ajv.errorsText(ajv.errors, { dataVar: 'plan' })}.`);
}
