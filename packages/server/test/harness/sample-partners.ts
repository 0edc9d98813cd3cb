import { challengeOf } from '../oauth/flow.ts';
import { aliceId } from './identities.ts';
import { type OutsideWorld, people } from './outside-world.ts';
import type { Sample, Samples } from './sample-request.ts';
import type { CommunityFixture } from './set-up-community.ts';
import type { OauthFixture } from './set-up-oauth.ts';
import { lockedPlan, miniAppBody, type PartnersFixture, paidPlan } from './set-up-partners.ts';

interface Partners extends PartnersFixture {
  outside: OutsideWorld;
  community: CommunityFixture;
  organizationId: string;
  /** The server's URL. */
  url: string;
}

/** Samples for requests about mini-apps, payments and partners. */
export function samplePartners(partners: Partners): Samples {
  return {
    ...samplePayments(partners),
    ...sampleSnapshot(partners),
    ...sampleNfts(partners),
    ...sampleWaitingList(partners),
    miniAppId: partners.miniAppId,
    'POST /latchkey/miniapps/{miniAppId}/submit miniAppId': partners.rejectedAppId,
    'POST /miniapps body': () => miniAppBody(partners.organizationId),
    'PATCH /miniapps/{miniAppId} name': 'Renamed',
    'GET /kudos/users/{userId}/{type} type': (dice) => dice.pick(['sent', 'received', 'helpful']),
    'POST /freshdesk/tickets body': () => ({
      subject: 'Lost',
      description: 'The fish is gone.',
      email: 'alice@example.org',
      communityId: partners.community.id,
    }),
    'GET /freshdesk/tickets include': 'stats',
    updatedSince: '2026-01-31T12:00:00Z',
  };
}

function samplePayments({ organizationId, stripeSlug, unlockSlug, url }: Partners): Samples {
  const [byCard, byLock] = ['POST /stripe/subscription/{planId}', 'POST /unlock/subscription/{planId}'];
  const end = 'DELETE /stripe/subscription/{planId}/subscriber/{subscriberId}';
  const given = '/latchkey/plans/{planId}/subscribers/{subscriberId}';
  const price = { billingPeriod: 'yearly', currency: 'usd', amount: 9900 };
  return {
    'POST /latchkey/plans/{planId}/checkout planId': paidPlan,
    'POST /latchkey/plans/{planId}/checkout subscriberId': organizationId,
    'POST /latchkey/plans/{planId}/checkout billingPeriod': 'monthly',
    'POST /latchkey/plans/{planId}/checkout currency': 'usd',
    'PUT /latchkey/plans/{planId} planId': 'sample',
    'PUT /latchkey/plans/{planId} body': () => ({ audience: 'organization', name: 'Sample', prices: [price] }),
    'DELETE /latchkey/plans/{planId} planId': 'deleted',
    [`PUT ${given} planId`]: lockedPlan,
    [`PUT ${given} subscriberId`]: organizationId,
    [`DELETE ${given} planId`]: lockedPlan,
    [`DELETE ${given} subscriberId`]: organizationId,
    redirectUri: `${url}/after`,
    [`${byCard} planId`]: paidPlan,
    [`${byLock} planId`]: lockedPlan,
    [`${end} planId`]: paidPlan,
    [`${end} subscriberId`]: organizationId,
    'GET /stripe/callback slug': stripeSlug,
    'GET /unlock/callback slug': unlockSlug,
  };
}

function sampleSnapshot({ outside, community, space }: Partners): Samples {
  const base = '/snapshot/communities/{communityId}/space';
  return {
    space,
    [`POST ${base} channels`]: community.channelId,
    [`PUT ${base}/{space} channels`]: community.channelId,
    'POST /snapshot/webhook/event authentication': outside.secrets.snapshot,
    'POST /snapshot/webhook/event body': snapshotEvent(space),
  };
}

let events = 0;

/** An event that was not sent before. */
function snapshotEvent(space: string): Sample {
  return () => {
    events += 1;
    const expire = Math.floor(Date.now() / 1000);
    return { id: `proposal/0x${events}`, event: 'proposal/created', space, token: 't', secret: 's', expire };
  };
}

function sampleNfts({ nft }: Partners): Samples {
  const describers = '/latchkey/nft-contracts/{chainId}/{address}/describers';
  const routes = [
    '/nft-contracts/{chainId}/{address}',
    '/nft-tokens/{chainId}/{address}/{id}',
    describers,
    `${describers}/{describerId}`,
  ];
  return {
    ...Object.fromEntries(
      ['GET', 'POST', 'PUT', 'DELETE'].flatMap((method) =>
        routes.flatMap((route) => [
          [`${method} ${route} chainId`, nft.chainId],
          [`${method} ${route} address`, nft.address],
          [`${method} ${route} id`, nft.id],
        ]),
      ),
    ),
    describerId: aliceId,
    fee_recipient: people.alice.address,
    transactionHash: `0x${'ab'.repeat(32)}`,
    'POST /nft-contracts/{chainId}/{address} name': 'Cats',
    'POST /nft-tokens/{chainId}/{address}/{id} tokenId': nft.id,
  };
}

function sampleWaitingList({ outside: { chain, environment, secrets } }: Partners): Samples {
  const [, to] = environment.LATCHKEY_PAYMASTER_CALLS?.split('=') ?? [];
  return {
    'POST /telefrens/waiting-list/quotes chainId': chain.chainId,
    'POST /telefrens/biconomy/paymaster-webhook body': () => ({
      data: {
        chainId: chain.chainId,
        owner: people.alice.address,
        txs: [{ to, value: '0', data: '0x12345678' }],
        authToken: secrets.paymaster,
      },
    }),
  };
}

/** Samples for requests about authorizations. */
export function sampleOauth({ client, slug }: OauthFixture): Samples {
  return {
    'GET /user-authorizations/{clientId} clientId': client.id,
    'DELETE /user-authorizations/{clientId} clientId': client.id,
    'POST /user-authorizations/{slug} slug': slug,
    'POST /user-authorizations/{slug} scopes': 'user:read',
    client_id: client.id,
    'GET /oauth2/authorize response_type': 'code',
    'GET /oauth2/authorize redirect_uri': client.redirectUri,
    'GET /oauth2/authorize scope': 'openid user:read',
    'GET /oauth2/authorize code_challenge': challengeOf('x'.repeat(43)),
    'GET /oauth2/authorize code_challenge_method': 'S256',
    'GET /oauth2/callback/{slug} slug': slug,
    'POST /oauth2/token body': () => ({ grant_type: 'client_credentials', scope: 'token-gating' }),
    'POST /oauth2/introspect body': () => ({ token: 'x'.repeat(43) }),
    'POST /oauth2/revoke body': () => ({ token: 'x'.repeat(43) }),
  };
}

/** Samples for signing requests. */
export function sampleSigning(address: string): Samples {
  const route = 'POST /pkp/sign-message';
  return { [`${route} body`]: () => ({ address, message: 'Hello.' }), userId: aliceId };
}
