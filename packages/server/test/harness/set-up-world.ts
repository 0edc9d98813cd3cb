import { contextFor, issueAeToken } from '@latchkey/core';
import { createPlaygroundWorld } from '@latchkey/emulators/sample-world';
import type { Operation } from '@latchkey/kernel';
import { type Call, caller } from './call-api.ts';
import { onConsole } from './console-session.ts';
import { fieldSamples } from './field-samples.ts';
import { aliceId, malloryId } from './identities.ts';
import { liftPlanLimits } from './lift-plan-limits.ts';
import { type OutsideWorld, outsideWorld, people } from './outside-world.ts';
import { type Device, inTurn, newDevice, registerPasskey, samplePasskeys } from './passkeys.ts';
import { otpMailedTo } from './read-mail.ts';
import type { Headers } from './refused-credentials.ts';
import { sampleCommunity } from './sample-community.ts';
import { sampleHandoffs } from './sample-handoffs.ts';
import { sampleLinkedRoles } from './sample-linked-roles.ts';
import { sampleLogins } from './sample-logins.ts';
import { sampleNear } from './sample-near.ts';
import { sampleOperator } from './sample-operator.ts';
import { sampleOauth, samplePartners, sampleSigning } from './sample-partners.ts';
import { samplePlayground } from './sample-playground.ts';
import { sampleReddit } from './sample-reddit.ts';
import type { Sample, Samples } from './sample-request.ts';
import { sampleRoleInvites } from './sample-role-invites.ts';
import { sampleTreasury, setUpTreasury } from './sample-treasury.ts';
import { sampleWallets } from './sample-wallets.ts';
import { sampleXLinks } from './sample-x.ts';
import { isInternalOnly, isMounted, isOperatorOnly } from './served.ts';
import { findDelivery, letAppIn, makeApp, sampleAccess, sampleDeliveries } from './set-up-apps.ts';
import { type CommunityFixture, setUpCommunity, signLink } from './set-up-community.ts';
import { isAboutLoginMethods, sampleLoginMethods, sessionFor, setUpLoginMethods } from './set-up-login-methods.ts';
import { type NearFixture, type NearHome, newNearHome, setUpNear } from './set-up-near.ts';
import { basicOf, type OauthFixture, setUpOauth } from './set-up-oauth.ts';
import { type PartnersFixture, setUpPartners } from './set-up-partners.ts';
import { sampleSignedCalls } from './signed-calls.ts';
import { startTestSigner } from './start-signer.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** An object of alice's, and an id of the same form that does not exist. */
export interface Owned {
  id: string;
  missing: string;
}

/** A server where alice has one of everything, and mallory has her own community. */
export interface World {
  server: TestServer;
  outside: OutsideWorld;
  /** Authorization headers. */
  alice: string;
  mallory: string;
  /** The same two on Telegram. */
  onTelegram: { alice: string; mallory: string };
  /** The API key of an application that is marked as the operator's own. */
  internalKey: string;
  /** By their names in access rules. */
  owned: Readonly<Record<string, Owned>>;
  community: CommunityFixture;
  /** Mallory's. */
  foreign: CommunityFixture;
  near: NearFixture;
  partners: PartnersFixture;
  oauth: OauthFixture;
  /** The address of alice's hosted wallet. */
  hostedWallet: string;
  /** The address of the wallet of alice's organization. */
  treasury: string;
  /** The one-time password that alice's second organization waits for. */
  otp: string;
  /** The device with alice's passkey. */
  device: Device;
  samples: Samples;
}

/** Starts a server with its signer and the outside world, and sets everything up. */
export async function openWorld(environment: Record<string, string> = {}): Promise<World> {
  const outside = await outsideWorld();
  const home = newNearHome(outside);
  const server = await startTestServer(
    {
      LATCHKEY_STEP_UP_REST_HOURS: '0',
      ...outside.environment,
      ...home.environment,
      LATCHKEY_SELL_PLANS: 'true',
      ...environment,
    },
    { playgroundWorld: createPlaygroundWorld(outside.discord, outside.chain) },
  );
  const signer = await startTestSigner(server);
  const close = async () => {
    await signer.stop();
    await server.close();
  };
  try {
    return await settleWorld({ ...server, close, [Symbol.asyncDispose]: close }, outside, home);
  } catch (error) {
    await close();
    throw error;
  }
}

async function settleWorld(server: TestServer, outside: OutsideWorld, home: NearHome): Promise<World> {
  await liftPlanLimits(server);
  const [alice, mallory] = [await server.aeToken(aliceId), await server.aeToken(malloryId)];
  const call = caller(server, alice);
  const organizationId = await makeOrganization(server, call, 'Acme', 'acme@example.org', true);
  const { address: treasury } = await call('PUT', `/dev-orgs/${organizationId}/wallet`);
  await makeOrganization(server, call, 'Beta', 'beta@example.org', false);
  const appId = await makeApp(server, call, { pk: organizationId, name: 'First' });
  const { slug } = await call('POST', '/states', { orderId: '42', returnTo: '/members' });
  const { keys } = await call('GET', '/.well-known/jwks.json');
  const otp = await otpMailedTo(server, 'beta@example.org');
  const device = newDevice();
  const passkeyId = await registerPasskey(server, alice, device);
  const community = await setUpCommunity(server, outside, people.alice, call);
  const foreign = await setUpCommunity(server, outside, people.mallory, caller(server, mallory));
  const near = await setUpNear(server, outside, home, call);
  const partners = await setUpPartners(server, outside, call, { organizationId, community });
  const oauth = await setUpOauth(server);
  const { pkp } = await call('PUT', '/users/me/pkp');
  await caller(server, mallory)('PUT', '/users/me/pkp');
  const loginMethods = await setUpLoginMethods(server, alice);
  await setUpTreasury({ server, outside, treasury });
  const heardAppId = await makeApp(server, call, { pk: organizationId, name: 'Heard' });
  const deliveryId = await findDelivery(server, call, heardAppId);
  const readerAppId = await letAppIn(server, alice, community.id);
  const world: World = {
    server,
    outside,
    alice,
    mallory,
    onTelegram: { alice: await telegramToken(server, '7001'), mallory: await telegramToken(server, '7002') },
    internalKey: (await server.apiKey(['$internal'], aliceId)).key,
    owned: {
      'client application': { id: appId, missing: missingLike(appId) },
      organization: { id: organizationId, missing: missingLike(organizationId) },
      delivery: { id: deliveryId, missing: missingLike(deliveryId) },
      passkey: { id: passkeyId, missing: missingLike(passkeyId) },
      community: { id: community.id, missing: 'DIS#COMM#999999999999999999' },
      request: { id: community.requestId, missing: missingLike(community.requestId) },
      session: { id: loginMethods.sessionId, missing: missingLike(loginMethods.sessionId) },
      'wallet link': { id: loginMethods.walletId, missing: missingLike(loginMethods.walletId) },
      wallet: { id: people.alice.address, missing: people.bob.address },
      'mini-app': { id: partners.miniAppId, missing: missingLike(partners.miniAppId) },
      'token contract': { id: near.art, missing: `none.${near.account}` },
      treasury: { id: treasury, missing: people.bob.address },
      'market contract': { id: near.market, missing: `none.${near.account}` },
    },
    community,
    foreign,
    near,
    partners,
    oauth,
    hostedWallet: pkp.ethAddress,
    treasury,
    otp,
    device,
    samples: {
      ...fieldSamples,
      ...(await samplePasskeys(server, alice, device, () => 1)),
      ...passkeyIds(() => passkeyId),
      ...(await sampleLogins(server, 3)),
      ...(await sampleHandoffs(server, 3)),
      ...(await samplePlayground(server)),
      id: appId,
      clientAppId: appId,
      ...sampleDeliveries(heardAppId, deliveryId),
      orgId: organizationId,
      organizationId,
      pk: organizationId,
      slug: String(slug),
      kid: keys[0].kid,
      otp,
      uri: server.url,
      domain: new URL(server.url).host,
      ...sampleCommunity(outside, community),
      ...sampleNear(near),
      ...samplePartners({ ...partners, outside, community, organizationId, url: server.url }),
      ...sampleOauth(oauth),
      ...(await sampleSignedCalls(server, outside)),
      ...sampleSigning(pkp.ethAddress),
      ...sampleLoginMethods(loginMethods),
      ...(await sampleTreasury({ server, outside, treasury })),
      ...sampleAccess(readerAppId),
      'DELETE /latchkey/communities/{communityId} communityId': await makeSpareCommunity(server),
      ...(await sampleOperator(server, call, { organizationId, communityId: community.id })),
      ...(await sampleLinks(call, outside, 3)),
      ...(await sampleXLinks({ server, outside })),
      ...(await sampleLinkedRoles({ server, outside })),
      ...(await sampleReddit({ server, outside, community })),
      ...(await sampleRoleInvites({ server, mallory, outside })),
      ...(await sampleWallets({ server, outside, authorization: alice }, community, () => 3)),
    },
  };
  // Wait for the jobs of the setup before a test starts.
  await server.worker.idle();
  return world;
}

/** Creates a community of alice's that nothing else needs. */
async function makeSpareCommunity(server: TestServer): Promise<string> {
  const { json } = await server.request('POST', '/communities', {
    headers: { 'x-api-key': server.adminKey },
    json: { platform: 'telegram', communityId: '-1009', ownerId: aliceId },
  });
  return json.id;
}

/** Signed messages that each link alice's wallet once. */
export async function sampleLinks(call: Call, outside: OutsideWorld, count: number): Promise<Samples> {
  return { 'POST /account/wallet-address body': await inTurn(count, () => signLink(call, outside, people.alice)) };
}

/** Returns a credential with which alice can call an operation, or the operator if it is only for the operator. */
export async function rightCredential(world: World, operation: Operation): Promise<Headers> {
  const { server, alice, internalKey } = world;
  if (isOperatorOnly(operation)) return { 'x-api-key': server.adminKey };
  if (isMounted(operation)) return { authorization: basicOf(world.oauth.client) };
  if (isOnTelegram(operation)) return { authorization: world.onTelegram.alice };
  if (isAboutLoginMethods(operation)) return { authorization: await sessionFor(server, operation), ...onConsole };
  return { authorization: alice, ...(isInternalOnly(operation) && { 'x-api-key': internalKey }) };
}

/** Only for users from Telegram. */
export function isOnTelegram({ path }: Pick<Operation, 'path'>): boolean {
  return path.startsWith('/telegram-pkp/');
}

async function telegramToken(server: TestServer, id: string): Promise<string> {
  const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
  const presence = { how: 'chat-login' as const, at: server.services.clock() };
  const person = { userId: `TEL#USER#${id}`, platform: 'telegram', scopes: ['$all'], ttlSeconds: 3600 };
  return `AE ${await issueAeToken(operator, { ...person, credential: 'chat-session', presence })}`;
}

async function makeOrganization(server: TestServer, call: Call, name: string, email: string, isVerified: boolean) {
  const { sk } = await call('POST', '/dev-orgs', { name, email });
  if (isVerified) await call('POST', '/dev-orgs/verify', { otp: await otpMailedTo(server, email) });
  return String(sk).replace('ORG#', '');
}

function missingLike(id: string): string {
  return id.replace(/[0-9A-Za-z]/g, 'z');
}

/** The operations on one passkey, whose id parameter has the same name as that of client applications. */
export function passkeyIds(draw: Sample): Samples {
  return Object.fromEntries(
    ['GET', 'PATCH', 'DELETE'].map((method) => [`${method} /webauthn/credentials/{id} id`, draw]),
  );
}
