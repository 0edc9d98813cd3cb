import { contextFor, decideMiniApp, giveKudos, savePlan } from '@latchkey/core';
import { sql } from '@latchkey/db';
import type { Call } from './call-api.ts';
import { aliceId } from './identities.ts';
import { type OutsideWorld, people } from './outside-world.ts';
import type { CommunityFixture } from './set-up-community.ts';
import type { TestServer } from './test-server.ts';

/** What alice has with partners: a paid plan, a mini-app, a followed space, a described contract. */
export interface PartnersFixture {
  miniAppId: string;
  /** One that can be resubmitted for review. */
  rejectedAppId: string;
  space: string;
  /** The slugs of open checkouts. */
  stripeSlug: string;
  unlockSlug: string;
  /** An NFT contract, and one of its tokens. */
  nft: { chainId: string; address: string; id: string };
}

export const paidPlan = 'paid';
export const lockedPlan = 'locked';
export const space = 'cats.eth';

export async function setUpPartners(
  server: TestServer,
  outside: OutsideWorld,
  call: Call,
  { organizationId, community }: { organizationId: string; community: CommunityFixture },
): Promise<PartnersFixture> {
  await sellPlans(server, outside);
  const { id: miniAppId } = await call('POST', '/miniapps', miniAppBody(organizationId));
  const { id: rejectedAppId } = await call('POST', '/miniapps', miniAppBody(organizationId));
  const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
  await decideMiniApp(operator, { id: rejectedAppId, decision: 'reject' });
  const path = `/snapshot/communities/${encodeURIComponent(community.id)}/space`;
  await call('POST', path, { space, channels: [community.channelId] });
  const alice = {
    kind: 'user',
    userId: aliceId,
    platform: 'discord',
    scopes: ['$all'],
    credential: 'wallet-session',
  } as const;
  await giveKudos(contextFor(server.services, alice), {
    communityId: community.id,
    toUserId: `DIS#USER#${people.bob.userId}`,
    kind: 'helpful',
    words: 'For the fish.',
  });
  const nft = {
    chainId: String(outside.chain.chainId),
    address: outside.chain.contracts.erc721.toLowerCase(),
    id: '1',
  };
  await server.request(
    'PUT',
    `/latchkey/nft-contracts/${nft.chainId}/${nft.address}/describers/${encodeURIComponent(aliceId)}`,
    { headers: { 'x-api-key': server.adminKey } },
  );
  await call('POST', `/nft-contracts/${nft.chainId}/${nft.address}`, { name: 'Cats' });
  await call('POST', `/nft-tokens/${nft.chainId}/${nft.address}/${nft.id}`, { name: 'First cat' });
  await payPlan(server, outside, call, organizationId);
  return { miniAppId, rejectedAppId, space, nft, ...(await beginCheckouts(outside, call, organizationId)) };
}

export function miniAppBody(organizationId: string) {
  return { pk: organizationId, name: 'Greeter', description: 'Greets.', url: 'http://127.0.0.1:9/app' };
}

async function sellPlans({ services }: TestServer, { lock, chain }: OutsideWorld): Promise<void> {
  await sql`update plans set price_cents = 1799, min_buy_months = 1 where id = ${paidPlan}`.execute(services.db.system);
  const config = JSON.stringify({ [lock]: { network: chain.chainId, skipRecipient: true } });
  await sql`
    insert into plans (id, audience, name, price_cents, billing_period, lock_config, max_mini_apps, max_api_keys, created_at)
    values (${lockedPlan}, 'organization', 'Locked', 0, 'monthly', ${config}, 1000000, 1000000, ${services.clock()})
    on conflict do nothing`.execute(services.db.system);
  // No subscriber has it, so it can be deleted.
  await savePlan(services, { planId: 'deleted', body: { audience: 'organization', name: 'Deleted', prices: [] } });
}

/** Buys the plan, pays, and has the provider report it. */
async function payPlan(
  server: TestServer,
  { stripe }: OutsideWorld,
  call: Call,
  organizationId: string,
): Promise<void> {
  const { url } = await call('POST', `/stripe/subscription/${paidPlan}`, { state: {}, organizationId });
  stripe.pay(String(url).split('/').at(-1) ?? '');
  for (const event of stripe.state.events.splice(0)) {
    const { body, signature } = stripe.sign(event);
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
    const answer = await server.request('POST', '/stripe/webhook', { headers, body });
    if (answer.status !== 200) throw new Error(`The payment was not taken: ${answer.text}`);
  }
  await server.worker.idle();
}

/** Starts a donation by card, and buying a plan with a lock. */
async function beginCheckouts({ stripe }: OutsideWorld, call: Call, organizationId: string) {
  const bought = { state: { cart: 1 }, organizationId };
  const { url: card } = await call('POST', '/stripe/donation', { price: 500 });
  const session = stripe.state.sessions.get(String(card).split('/').at(-1) ?? '');
  const { url: lock } = await call('POST', `/unlock/subscription/${lockedPlan}`, bought);
  return {
    stripeSlug: slugIn(session?.cancelUrl ?? ''),
    unlockSlug: slugIn(new URL(lock).searchParams.get('redirectUri') ?? ''),
  };
}

function slugIn(address: string): string {
  return new URL(address).searchParams.get('slug') ?? '';
}
