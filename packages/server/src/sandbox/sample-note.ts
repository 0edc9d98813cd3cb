import {
  type CatalogPlan,
  communityKey,
  contextFor,
  enqueueUser,
  eraseAccount,
  listCatalog,
  removeCommunity,
  type Services,
  savePlan,
  selectCommunity,
  unlinkWallet,
  userKey,
  usersOfWallets,
} from '@latchkey/core';
import { openLeases } from '@latchkey/db';
import type { Config } from '../config.ts';

declare module '@latchkey/db/tables' {
  interface Tables {
    /** One row once the sample community of `npm start` was added to the database. */
    sample_world: { id: 1; noted_at: Date };
  }
}

/** Records that this database contains the sample community. */
export async function noteSamples({ db, clock }: Pick<Services, 'clock' | 'db'>): Promise<void> {
  await db.system
    .insertInto('sample_world')
    .values({ id: 1, noted_at: clock() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Removes the sample community, its accounts and wallets, if an earlier start added them to this database: the keys of
 * those wallets are public. If interrupted, the next start continues.
 */
export async function forgetSamples(services: Services): Promise<void> {
  const { db, log } = services;
  if ((await db.system.selectFrom('sample_world').select('id').executeTakeFirst()) === undefined) return;
  const leases = openLeases(db, { log: log.for('leases') });
  try {
    // Only one of several processes that start at once does this.
    if ((await leases.take('sample-world')) === undefined) return;
    await forgetAll(services);
    await db.system.deleteFrom('sample_world').execute();
    log.info('Removed the sample community of an earlier start, with its accounts and wallets.');
  } finally {
    await leases.close();
  }
}

async function forgetAll(services: Services): Promise<void> {
  // Loaded only where it is used, since it imports a wallet library.
  const { sampleAccounts, sampleGuild, sampleSubreddit } = await import('@latchkey/emulators/sample-accounts');
  const ctx = contextFor(services, { kind: 'system', job: 'sample-world' });
  for (const id of [communityKey('discord', sampleGuild.id), communityKey('reddit', sampleSubreddit.name)])
    if ((await selectCommunity(services.db.system, id)) !== undefined) await removeCommunity(ctx, { id });
  await removeSamplePrices(services);
  const { accounts, addresses } = sampleAccounts();
  for (const account of accounts) await eraseAccount(ctx, userKey(account.platform, account.id));
  // A user may have linked such a wallet to their own account, which stays.
  for (const { user_id: userId, address } of await usersOfWallets(services.db.system, 'evm', addresses)) {
    const user = contextFor(services, { kind: 'user', userId, platform: '', scopes: [], credential: 'operator-token' });
    await unlinkWallet(user, address, (tx, affected) => enqueueUser(tx, affected, 'wallet'));
  }
}

type PlanServices = Pick<Services, 'clock' | 'db'>;
type Price = CatalogPlan['prices'][number];

const inDollars = (monthly: number, yearly: number): Price[] => [
  { billingPeriod: 'monthly', currency: 'usd', amount: monthly },
  { billingPeriod: 'yearly', currency: 'usd', amount: yearly },
];

/** The prices of plans at the Stripe emulator, which moves no real money. In cents. */
const samplePrices: ReadonlyMap<string, Price[]> = new Map([
  ['community', inDollars(900, 9000)],
  ['paid', inDollars(1900, 19_000)],
]);

/**
 * Sets prices for the sample plans once selling is turned on with the sample community. The operator's own prices stay.
 */
export async function seedPrices(
  services: PlanServices,
  { selling, stripe }: Pick<Config, 'selling' | 'stripe'>,
): Promise<void> {
  // With the operator's own Stripe account, the operator sets the prices.
  if (!selling.isOn || stripe.secretKey !== undefined) return;
  await changePrices(services, ({ prices }, sample) => (prices.length === 0 ? sample : undefined));
}

/** Removes sample prices, so that no plan is sold at one for real money. */
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
